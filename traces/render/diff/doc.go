// Package diff shows how two runs differ, as text and as a page.
package diff
