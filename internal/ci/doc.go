// Package ci reports findings to continuous integration: annotations and step summaries of
// GitHub Actions, and reports in JUnit's XML.
//
// [FromEnvironment] is the step of GitHub Actions that the process is a part of, if it is. Its
// annotations are lines that the runner finds in what a step prints. [Suite] is the report of
// one command for everything else that reads JUnit's XML.
package ci
