// Package viewer tests the page of a trace, and the other pages, in a real browser: make viewer
// runs its tests in a headless Chromium over the DevTools protocol. axe-core, which npm ci puts
// beside them, checks the pages for accessibility. It is a module of its own, so that the
// browser's client is no requirement of Lockpick's users.
package viewer
