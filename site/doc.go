// Package site is Lockpick's site: layouts and style for Hugo, which is a tool of this module. lab/cmd/sitepages makes the
// contents of its pages. `make site` builds it into site/public.
//
// The tests look for broken links in the built site (`make site-links`). tools/viewer tests it in a browser, with the
// project's other pages (`make site-browser`).
package site
