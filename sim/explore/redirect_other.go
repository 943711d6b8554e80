//go:build !linux

package explore

import (
	"log"
	"os"
)

// redirect makes standard error, and output if that is asked for, a file, for all who print by os.Stdout, os.Stderr or package log.
// What others have kept of these before goes on to the usual place. Usual is where standard error has gone to, and restore takes it back.
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
