package simpostgres_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/postgres/internal/scripts"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
)

var one = flag.String("one", "", "play the script in this file on a real server and on a simulated one, and print both")

func TestOne(t *testing.T) {
	if *one == "" {
		t.Skip("no file")
	}
	s, err := scripts.Read(*one)
	if err != nil {
		t.Fatal(err)
	}
	real := newReal(t, realpostgres.Start(t, scripts.Settings...), 0)
	defer real.Close()
	t.Log("real\n" + strings.Join(onReal(t, real, s), "\n"))
	t.Log("simulated\n" + strings.Join(onSimulated(s), "\n"))
}
