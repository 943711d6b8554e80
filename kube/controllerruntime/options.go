package controllerruntime

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// silent is a logger that manager.New does not replace, as it does logr.Discard().
var silent = logr.New(log.NullLogSink{})

// controller-runtime's log is set up before there is a run, as klog is.
func init() { log.SetLogger(silent) }

// timeout is that of requests for the Lease: half of the manager's default RenewDeadline, as its own lock has it.
const timeout = 5 * time.Second

// Options returns the options of a manager that elects its leader by a Lease, in a client process. They differ from those of a
// manager in a cluster as follows, and may be changed and added to:
//
//   - The Lease is an interface (LeaderElectionResourceLockInterface). The manager's own would have the name of this machine as a part
//     of its identity, and record events. Its time-out is config's, or 5 s as with the default RenewDeadline.
//   - The resources are known without requests (MapperProvider). The servers have Leases alone, and refuse others by name.
//   - The manager's client reads Leases from the servers, not from a cache.
//   - There are no servers of metrics, probes or profiles, and there is no log.
func Options(config *rest.Config, namespace, name, identity string) (manager.Options, error) {
	c := rest.CopyConfig(config)
	if c.Timeout == 0 {
		c.Timeout = timeout
	}
	leases, err := coordination.NewForConfig(c)
	if err != nil {
		return manager.Options{}, fmt.Errorf("controllerruntime: make a client for the Lease %s/%s: %w", namespace, name, err)
	}
	return manager.Options{
		LeaderElection: true, LeaderElectionNamespace: namespace, LeaderElectionID: name,
		LeaderElectionResourceLockInterface: &resourcelock.LeaseLock{
			LeaseMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Client: leases,
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		MapperProvider:         func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return newMapper(), nil },
		Client:                 client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&v1.Lease{}}}},
		Metrics:                metrics.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		Logger:                 silent,
	}, nil
}

// mapper has the resources without asking a server.
type mapper struct{ meta.RESTMapper }

func newMapper() mapper {
	m := meta.NewDefaultRESTMapper([]schema.GroupVersion{v1.SchemeGroupVersion})
	m.Add(v1.SchemeGroupVersion.WithKind("Lease"), meta.RESTScopeNamespace)
	return mapper{m}
}

// RESTMapping returns a mapping of any kind: the servers refuse a request for what is no Lease, and name it. Whether such a resource
// is in a namespace is not known, so its path has none.
func (m mapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	known, err := m.RESTMapper.RESTMapping(kind, versions...)
	if err == nil || len(versions) == 0 {
		return known, err
	}
	k := kind.WithVersion(versions[0])
	resource, _ := meta.UnsafeGuessKindToResource(k)
	return &meta.RESTMapping{Resource: resource, GroupVersionKind: k, Scope: meta.RESTScopeRoot}, nil
}
