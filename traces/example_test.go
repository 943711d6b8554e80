package traces_test

import (
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/traces"
)

func ExampleDecode() {
	_, err := traces.Decode(strings.NewReader(`{"schema": 7}`))
	fmt.Println(err)
	_, err = traces.Decode(strings.NewReader(`{"schema": 2, "scenario": "gc-pa`))
	fmt.Println(err)
	// Output:
	// trace: written by a newer simrun (schema 7; this one reads up to 3): update
	// trace: truncated: it ends after 32 bytes, inside a value; copy or record it again
}
