// Package api lists what 1.0 promises to keep: the exported declarations of packages, or some of them, without comments
// and function bodies. The lists are the files in the directory api of this module, one for each package, and a test
// compares them. A missing or different line breaks code, traces or scripts of users.
//
// [Drafts] are listed in api/v0, and may change in any 0.x version. All other packages may change in any version.
package api
