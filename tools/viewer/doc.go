// Package viewer tests the page of a trace in a real browser: make viewer runs its tests in a
// headless Chromium over the DevTools protocol. It is a module of its own, so that the
// browser's client is no requirement of Lockpick's users.
package viewer
