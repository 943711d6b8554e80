// Package sampletraces makes traces by hand, for tests of their format and of the packages that show them: a [Stage] on
// which things happen at given times, and the [Samples].
package sampletraces
