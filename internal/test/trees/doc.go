// Package trees reads directories for tests that compare what two commands have written.
package trees
