//go:build js

package main

import (
	"encoding/json"
	"syscall/js"

	"github.com/lockpick-dev/lockpick/playground/drawing"

	// The readers of the stores' protocols.
	_ "github.com/lockpick-dev/lockpick/kube/simkube"
	_ "github.com/lockpick-dev/lockpick/mysql/simmysql"
	_ "github.com/lockpick-dev/lockpick/postgres/simpostgres"
	_ "github.com/lockpick-dev/lockpick/s3/sims3"
	_ "github.com/lockpick-dev/lockpick/sim/simfile"
	_ "github.com/lockpick-dev/lockpick/sim/simredis/resp"
	_ "github.com/lockpick-dev/lockpick/zookeeper/simzk"
)

// message is a message without a drawing.
type message struct {
	Type   string `json:"type"` // "ready", "idle" or "failed"
	Reason string `json:"reason,omitempty"`
}

func main() {
	js.Global().Set("lockpick", map[string]any{"draw": js.FuncOf(func(_ js.Value, args []js.Value) any {
		draw([]byte(args[0].String()))
		return nil
	})})
	tell(message{Type: "ready"})
	select {} // the functions are called until the worker ends
}

// draw draws the requested trace, and sends the drawing.
func draw(raw []byte) {
	var q drawing.Request
	err := json.Unmarshal(raw, &q)
	var d drawing.Drawn
	if err == nil {
		d, err = drawing.Draw(q)
	}
	if err == nil {
		tell(d)
	} else {
		tell(message{Type: "failed", Reason: "the finding cannot be drawn: " + err.Error()})
	}
	tell(message{Type: "idle"})
}

func tell(m any) {
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err) // texts only
	}
	js.Global().Call("lockpickTell", string(raw))
}
