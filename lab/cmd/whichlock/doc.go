// Command whichlock writes the results of the experiment which-lock into docs/locks.md: make
// which-lock.
//
//	cd lab && go run ./cmd/whichlock -o ../docs/locks.md
//
// It runs the experiment with all of the locks of cmd/simrun and holds of 20 ms, and replaces
// what is between two lines of the page. The same command writes the same page.
package main
