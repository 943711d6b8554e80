// Package site is Lockpick's site: layouts and style for Hugo, which is a tool of this module. What its pages say is made by
// lab/cmd/sitepages. `make site` builds it into site/public.
//
// The tests look for broken links in what was built (`make site-links`). In a browser it is looked at by tools/viewer, with the
// project's other pages (`make site-browser`).
package site
