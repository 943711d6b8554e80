//go:build !linux

package explore

import (
	"log"
	"os"
)

// redirect redirects standard error, and standard output if output is set, to a file, for code that prints by
// os.Stdout, os.Stderr or package log. Copies of these that code made before still write to the usual place. Usual is
// the standard error until then; restore undoes the redirection.
func redirect(to *os.File, output bool) (usual *os.File, restore func(), err error) {
	out, standard, logged := os.Stdout, os.Stderr, log.Writer()
	os.Stderr = to
	if output || out == standard {
		os.Stdout = to
	}
	if logged == standard {
		log.SetOutput(to)
	}
	return standard, func() {
		os.Stdout, os.Stderr = out, standard
		log.SetOutput(logged)
	}, nil
}
