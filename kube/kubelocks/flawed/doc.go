// Package flawed has locks over Leases of Kubernetes that are not for production: each has a flaw that is widely copied,
// or that a library had, and is here to be found. They take the options of package kubelocks. The comment of each says
// what the flaw is, and which scenario and property of Lockpick show it.
//
//   - [NaiveLease]: a Lease that is judged by the times in it, and written without its version.
//   - [UnseenRelease]: a release that does not look whose Lease it is.
//
// [kubelocks.Lease] is the sound one of both.
package flawed
