// Package ci reports findings to continuous integration: annotations and step summaries of
// GitHub Actions, and reports in JUnit's XML.
//
// [FromEnvironment] returns the step of GitHub Actions that the process belongs to, if any. Its annotations are lines that
// the runner finds in the output of a step. [Suite] is the report of one command for all other readers of JUnit's XML.
package ci
