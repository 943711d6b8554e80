// Package simkube simulates the control plane of Kubernetes, as far as leases need it, inside a world of package
// sim: API servers that answer unmodified HTTP clients, and the members of etcd beside them, which keep a
// replicated log and elect leaders.
//
//	c := simkube.New(world, simkube.Options{Servers: 3}, observe)
//
// # What it does
//
// The leases of coordination.k8s.io/v1, in JSON over HTTP/1.1 ([simhttp]):
//
//   - get, list, watch, create (POST), update (PUT), patch (PATCH with a JSON merge patch) and delete, with uid,
//     resourceVersion and the preconditions of DeleteOptions. Lists and watches take the field selectors
//     metadata.name and metadata.namespace.
//   - Reads without a resourceVersion are linearizable. Those with one, "0" included, are answered from the
//     server's watch cache, which lags ([Options].CacheLag); they wait three seconds for a version that it does
//     not have.
//   - Watches begin at a version, or with an event for each lease that there is. One from a version that the
//     cache does not have gets the error 410. The cache begins anew when a server restarts, or when its member
//     of etcd has had no leader for three election time-outs: watches end then.
//   - Writes are decided by their place in the log. Without a leader they fail with 500 and etcd's error after
//     five seconds and two election time-outs, and may be carried out nevertheless. Linearizable reads wait.
//     Any request is answered with 504 when its time is over: the parameter timeout, 34 seconds for writes,
//     a minute.
//   - A server can reject requests with 429 and Retry-After ([Node.Reject]), as priority and fairness does.
//   - The connection between a server and etcd can break before etcd's answer to a write ([Node.Fail]): the write fails
//     with 500 and the error of etcd's client, which does not repeat writes, and was carried out or not.
//   - Faults: crash and restart with all that was accepted, hangs, partitions, late messages between members,
//     clocks that jump. Only creationTimestamp depends on a clock of the servers.
//
// # The rules
//
// They are those of Kubernetes v1.36.2, by its source, and by comparison with a server (see Fidelity):
//
//   - PUT creates a lease that is not there, whatever its resourceVersion (pkg/registry/coordination/lease/strategy.go,
//     AllowCreateOnUpdate; k8s.io/apiserver/pkg/registry/generic/registry/store.go, Store.Update). With a uid it
//     is refused with 409, as with another lease's uid (k8s.io/apiserver/pkg/storage/interfaces.go,
//     Preconditions.Check).
//   - PUT without a resourceVersion is 422 (AllowUnconditionalUpdate), one with another is 409.
//   - PATCH applies to whatever version there is, unless the patch names one
//     (k8s.io/apiserver/pkg/endpoints/handlers/patch.go).
//   - A write that changes nothing makes no version (k8s.io/apiserver/pkg/storage/etcd3/store.go, GuaranteedUpdate).
//   - The errors of etcd are not translated, so they are 500 (k8s.io/apiserver/pkg/registry/generic/registry,
//     k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/status.go).
//   - resourceVersion=0, too old and too large versions, and 429 while the cache begins
//     (k8s.io/apiserver/pkg/storage/cacher/cacher.go, delegator.go and watch_cache.go).
//   - Time-outs (k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go, server/filters/timeout.go and
//     endpoints/handlers/rest.go).
//
// # What it does not do
//
// Other resources and other paths are refused by name, and so are other patches, protobuf and YAML, dryRun, label
// selectors, pages of lists, exact versions of lists, deletecollection, generateName, finalizers, owner
// references, other propagation policies than Background, and coordinated leader election. There is no
// authentication, no authorization and no TLS, and every namespace exists. Leases have no managedFields, and
// nothing warns of unknown fields. Names of fields match in any case, and a server's do not. Labels and annotations
// are not checked. An object of another kind is refused as one of an unknown kind. Bookmarks are not sent, which a
// client must not rely on; a watch with sendInitialEvents is refused with 422, as by a server without the feature
// WatchList. A watch without timeoutSeconds lasts 30 minutes; a server adds up to as much at random. Of priority and
// fairness there is only the rejection.
//
// Each API server uses the member of etcd beside it alone, as kubeadm sets them up. Both are one process here: they
// crash and hang together. Etcd's election is that of package quorum: no votes are simulated.
//
// # Observations
//
// A change of a lease is observed at the moment of its commit, with the cluster as the authority ([Cluster.Name]),
// and later at each server that applies it, without one. Its key is the namespace, a slash and the name, its value
// the holder, empty for nobody, its revision that which created the lease. A lease ends by no event: the end of the
// observation is the moment of the change and leaseDurationSeconds. For the reader alone it is observed when a
// holder renews, when a holder takes over from another, when watches are set and fire, when a request is rejected,
// and which server's member of etcd leads in which term, or has no leader.
//
// # Fidelity
//
// Tests play random scripts on a real server and on one and three simulated ones, and compare the answers and the events
// of watches: status, fields of the header, and the whole body, with versions counted from the first one of a script, and
// uids by number. The server is the program of the module kube/realkube: k8s.io/apiserver v0.36.2 with the storage and
// the rules of kube-apiserver for leases, over etcd, without admission. No faults, no lag of caches and no time-outs are
// compared, and neither are watches from versions that a cache does not have, 429 and 5xx. What the servers do not support
// (above) is not in the scripts.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package simkube
