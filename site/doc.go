// Package site is Lockpick's site: layouts and style for Hugo, which is a tool of this module. What its pages say is made by
// etcd/cmd/sitepages. `make site` builds it into site/public.
//
// The tests look at what was built: that no link is broken (links_test.go), and in a browser that pages are accessible by axe,
// in light and dark, that none is wider than a telephone, and that the search finds (browser_test.go, axe_test.go,
// search_test.go). `make site-test` builds the site and runs them.
package site
