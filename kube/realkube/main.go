// Command realkube is an API server of Kubernetes that has leases and nothing else: the server library
// k8s.io/apiserver with the storage and the rules that kube-apiserver has for leases, without authentication, admission
// and TLS. Tests of package simkube compare with it. It is a module of its own, since it takes minutes to compile.
//
//	go build && ./realkube http://127.0.0.1:2379 127.0.0.1:8080
//
// The arguments are etcd's URL and the address at which it listens. Managed fields are those of an object whose schema
// is not known, since the schemas of all of Kubernetes are left out.
package main

import (
	"fmt"
	"net/http"
	"os"

	coordination "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/rest"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	leases "k8s.io/kubernetes/pkg/registry/coordination/rest"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: realkube ETCD-URL ADDRESS")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "realkube:", err)
		os.Exit(1)
	}
}

// serve serves leases that are in an etcd, at an address, until it fails.
func serve(etcd, address string) error {
	c := server.NewConfig(legacyscheme.Codecs)
	c.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	c.ExternalAddress = "127.0.0.1:443"
	c.LoopbackClientConfig = &rest.Config{}
	c.Authentication.Authenticator = anonymous.NewAuthenticator(nil)
	c.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	c.OpenAPIV3Config = server.DefaultOpenAPIV3Config(schemas, openapi.NewDefinitionNamer(legacyscheme.Scheme))
	c.SkipOpenAPIInstallation = true
	if err := keepIn(c, etcd); err != nil {
		return err
	}
	s, err := c.Complete(nil).New("realkube", server.NewEmptyDelegate())
	if err != nil {
		return err
	}
	resources := storage.NewResourceConfig()
	resources.EnableVersions(coordination.SchemeGroupVersion)
	group, err := leases.RESTStorageProvider{}.NewRESTStorage(resources, c.RESTOptionsGetter)
	if err != nil {
		return err
	}
	if err := s.InstallAPIGroup(&group); err != nil {
		return err
	}
	s.PrepareRun()
	return http.ListenAndServe(address, s.Handler)
}

// keepIn makes a server keep its objects in an etcd.
func keepIn(c *server.Config, etcd string) error {
	backend := storagebackend.NewDefaultConfig("/registry", nil)
	backend.Transport.ServerList = []string{etcd}
	factory := storage.NewDefaultStorageFactory(*backend, runtime.ContentTypeJSON, legacyscheme.Codecs,
		storage.NewDefaultResourceEncodingConfig(legacyscheme.Scheme), storage.NewResourceConfig(), nil)
	return options.NewEtcdOptions(backend).ApplyWithStorageFactoryTo(factory, c)
}

// schemas has the schema of a lease, of which only the kind is known.
func schemas(common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	lease := spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}}}
	lease.AddExtension("x-kubernetes-preserve-unknown-fields", true)
	return map[string]common.OpenAPIDefinition{coordination.Lease{}.OpenAPIModelName(): {Schema: lease}}
}
