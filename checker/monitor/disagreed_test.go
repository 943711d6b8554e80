package monitor_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// TestDisagreed has the smallest histories on which a monitor once contradicted
// porcupine, or would without a rule that random histories seldom need. A monitor
// may leave them open.
func TestDisagreed(t *testing.T) {
	for _, test := range []struct {
		name  string
		spec  model.Spec
		want  model.Status // of the monitor alone
		legal bool
		calls string
	}{
		{
			"an extension of what an acquire of unknown outcome took", model.Spec{Kind: model.KindLeased}, model.Undecided, true, `
			{"id":1,"client":"c1","object":"o","op":"acquire","call":1,"return":3,"outcome":"ok","until":2}
			{"id":2,"client":"c1","object":"o","op":"acquire","call":4,"outcome":"unknown"}
			{"id":3,"client":"c1","object":"o","op":"extend","call":5,"return":6,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"acquire","try":true,"call":7,"return":8,"outcome":"failed"}
			{"id":5,"client":"c1","object":"o","op":"release","of":2,"call":9,"return":10,"outcome":"ok"}`,
		},
		{
			"an entry beyond the limit ends no hold by itself", model.Spec{Kind: model.KindReentrant, Limit: 1}, model.Violated, false, `
			{"id":1,"client":"c3","object":"o","op":"acquire","call":1,"outcome":"unknown"}
			{"id":2,"client":"c3","object":"o","op":"acquire","call":1,"return":1,"outcome":"ok"}
			{"id":3,"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"expire","of":1,"call":2,"outcome":"unknown"}`,
		},
		{
			"one within the limit does", model.Spec{Kind: model.KindReentrant, Limit: 2}, model.Holds, true, `
			{"id":1,"client":"c3","object":"o","op":"acquire","call":1,"outcome":"unknown"}
			{"id":2,"client":"c3","object":"o","op":"acquire","call":1,"return":1,"outcome":"ok"}
			{"id":3,"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"expire","of":1,"call":2,"outcome":"unknown"}`,
		},
		{
			"nor with a token", model.Spec{Kind: model.KindReentrantFenced, Limit: 1}, model.Violated, false, `
			{"id":1,"client":"c1","object":"o","op":"expire","of":2,"call":2,"outcome":"unknown"}
			{"id":2,"client":"c3","object":"o","op":"acquire","call":1,"outcome":"unknown"}
			{"id":3,"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}
			{"id":4,"client":"c3","object":"o","op":"acquire","call":1,"return":1,"outcome":"ok"}`,
		},
		{
			"a writer's own hold explains no try of its own", model.Spec{Kind: model.KindReadWrite}, model.Violated, false, `
			{"id":1,"client":"c1","object":"o","op":"acquire-write","call":1,"return":2,"outcome":"ok"}
			{"id":2,"client":"c1","object":"o","op":"release-write","call":3,"outcome":"unknown"}
			{"id":3,"client":"c1","object":"o","op":"acquire-read","try":true,"call":4,"return":7,"outcome":"failed"}
			{"id":4,"client":"c2","object":"o","op":"acquire-read","call":5,"return":6,"outcome":"ok"}`,
		},
		{
			"a reader who may be writing writes", model.Spec{Kind: model.KindReadWrite}, model.Undecided, true, `
			{"id":1,"client":"c1","object":"o","op":"release-write","call":1,"outcome":"unknown"}
			{"id":2,"client":"c1","object":"o","op":"acquire-write","call":2,"outcome":"unknown"}
			{"id":3,"client":"c1","object":"o","op":"acquire-read","call":3,"return":4,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"acquire-write","call":5,"return":6,"outcome":"ok"}`,
		},
		{
			"a reader who released in the end was there all along", model.Spec{Kind: model.KindReadWrite}, model.Violated, false, `
			{"id":1,"client":"c1","object":"o","op":"acquire-read","call":1,"return":2,"outcome":"ok"}
			{"id":2,"client":"c1","object":"o","op":"release-read","call":3,"outcome":"unknown"}
			{"id":3,"client":"c2","object":"o","op":"acquire-read","try":true,"call":4,"return":6,"outcome":"failed"}
			{"id":4,"client":"c3","object":"o","op":"acquire-write","call":5,"return":9,"outcome":"ok"}
			{"id":5,"client":"c1","object":"o","op":"release-read","call":7,"return":8,"outcome":"ok"}`,
		},
		{
			"who reads for ever does not write", model.Spec{Kind: model.KindReadWrite}, model.Undecided, false, `
			{"id":1,"client":"c1","object":"o","op":"acquire-write","try":true,"call":1,"return":3,"outcome":"failed"}
			{"id":2,"client":"c3","object":"o","op":"acquire-read","call":2,"outcome":"unknown"}
			{"id":3,"client":"c2","object":"o","op":"acquire-read","try":true,"call":4,"return":6,"outcome":"failed"}
			{"id":4,"client":"c3","object":"o","op":"acquire-write","call":5,"outcome":"unknown"}`,
		},
		{
			"nor does another", model.Spec{Kind: model.KindReadWrite}, model.Undecided, false, `
			{"id":1,"client":"c1","object":"o","op":"acquire-write","try":true,"call":1,"return":3,"outcome":"failed"}
			{"id":2,"client":"c3","object":"o","op":"acquire-read","call":2,"outcome":"unknown"}
			{"id":3,"client":"c2","object":"o","op":"acquire-read","try":true,"call":4,"return":6,"outcome":"failed"}
			{"id":4,"client":"c4","object":"o","op":"acquire-write","call":5,"outcome":"unknown"}`,
		},
		{
			"one who may be writing explains both", model.Spec{Kind: model.KindReadWrite}, model.Holds, true, `
			{"id":1,"client":"c1","object":"o","op":"acquire-write","try":true,"call":1,"return":3,"outcome":"failed"}
			{"id":2,"client":"c4","object":"o","op":"acquire-write","call":2,"outcome":"unknown"}
			{"id":3,"client":"c2","object":"o","op":"acquire-read","try":true,"call":4,"return":5,"outcome":"failed"}`,
		},
		{
			"two releases of a hold before its acquire", model.Spec{Kind: model.KindFenced}, model.Undecided, true, `
			{"id":1,"client":"c1","object":"o","op":"release","of":3,"call":1,"return":2,"outcome":"failed"}
			{"id":2,"client":"c2","object":"o","op":"release","of":3,"call":1,"outcome":"unknown"}
			{"id":3,"client":"c1","object":"o","op":"acquire","call":3,"return":4,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"acquire","call":5,"return":6,"outcome":"ok"}`,
		},
		{
			"entered again after its end, perhaps: then released, it is held or not", model.Spec{Kind: model.KindReentrant}, model.Undecided, false, `
			{"id":1,"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}
			{"id":2,"client":"c1","object":"o","op":"expire","of":1,"call":3,"outcome":"unknown"}
			{"id":3,"client":"c1","object":"o","op":"acquire","call":4,"return":5,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"release","call":6,"return":7,"outcome":"ok"}
			{"id":5,"client":"c2","object":"o","op":"acquire","try":true,"call":8,"return":9,"outcome":"failed"}
			{"id":6,"client":"c2","object":"o","op":"acquire","call":10,"return":11,"outcome":"ok"}`,
		},
		{
			"nobody asks while it is held or not", model.Spec{Kind: model.KindReentrant}, model.Holds, true, `
			{"id":1,"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}
			{"id":2,"client":"c1","object":"o","op":"expire","of":1,"call":3,"outcome":"unknown"}
			{"id":3,"client":"c1","object":"o","op":"acquire","call":4,"return":5,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"release","call":6,"return":7,"outcome":"ok"}
			{"id":5,"client":"c2","object":"o","op":"acquire","call":8,"return":9,"outcome":"ok"}`,
		},
		{
			"its second release says that it had not ended", model.Spec{Kind: model.KindReentrant}, model.Undecided, false, `
			{"id":1,"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}
			{"id":2,"client":"c1","object":"o","op":"acquire","call":3,"return":4,"outcome":"ok"}
			{"id":3,"client":"c1","object":"o","op":"expire","of":2,"call":5,"outcome":"unknown"}
			{"id":4,"client":"c1","object":"o","op":"acquire","call":6,"return":7,"outcome":"ok"}
			{"id":5,"client":"c1","object":"o","op":"release","call":8,"return":9,"outcome":"ok"}
			{"id":6,"client":"c1","object":"o","op":"release","call":10,"return":11,"outcome":"ok"}
			{"id":7,"client":"c2","object":"o","op":"acquire","call":12,"return":13,"outcome":"ok"}`,
		},
		{
			"beyond the limit it had ended", model.Spec{Kind: model.KindReentrant, Limit: 2}, model.Undecided, false, `
			{"id":1,"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}
			{"id":2,"client":"c1","object":"o","op":"acquire","call":3,"return":4,"outcome":"ok"}
			{"id":3,"client":"c1","object":"o","op":"expire","of":2,"call":5,"outcome":"unknown"}
			{"id":4,"client":"c1","object":"o","op":"acquire","call":6,"return":7,"outcome":"ok"}
			{"id":5,"client":"c1","object":"o","op":"acquire","try":true,"call":8,"return":9,"outcome":"failed"}`,
		},
		{
			"an extension from before the acquire to after it", model.Spec{Kind: model.KindLeased}, model.Undecided, true, `
			{"id":1,"client":"c2","object":"o","op":"extend","of":2,"call":1,"return":6,"outcome":"ok","until":1}
			{"id":2,"client":"c1","object":"o","op":"acquire","call":2,"return":3,"outcome":"ok"}
			{"id":3,"client":"c1","object":"o","op":"acquire","call":4,"return":5,"outcome":"ok"}`,
		},
		{
			"a permit that one try needs and another acquire has", model.Spec{Kind: model.KindSemaphore, Permits: 2}, model.Undecided, false, `
			{"id":1,"client":"c1","object":"o","op":"acquire","n":2,"call":1,"return":8,"outcome":"ok"}
			{"id":2,"client":"c2","object":"o","op":"acquire","n":2,"try":true,"call":2,"return":3,"outcome":"failed"}
			{"id":3,"client":"c3","object":"o","op":"acquire","call":4,"return":5,"outcome":"ok"}
			{"id":4,"client":"c3","object":"o","op":"release","call":6,"return":7,"outcome":"ok"}`,
		},
		{
			"a reader who may have gone before it was told that it had come", model.Spec{Kind: model.KindReadWrite}, model.Undecided, true, `
			{"id":1,"client":"c3","object":"o","op":"acquire-write","call":1,"outcome":"unknown"}
			{"id":2,"client":"c2","object":"o","op":"release-read","call":2,"outcome":"unknown"}
			{"id":3,"client":"c2","object":"o","op":"acquire-read","call":3,"return":6,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"acquire-read","try":true,"call":4,"return":5,"outcome":"failed"}`,
		},
		{
			"a failed release leaves one of unknown outcome to give back what is acquired later", model.Spec{Kind: model.KindSemaphore, Permits: 1}, model.Undecided, true, `
			{"id":1,"client":"c1","object":"o","op":"acquire","call":1,"return":2,"outcome":"ok"}
			{"id":2,"client":"c1","object":"o","op":"release","call":3,"outcome":"unknown"}
			{"id":3,"client":"c1","object":"o","op":"release","call":4,"return":5,"outcome":"failed"}
			{"id":4,"client":"c1","object":"o","op":"acquire","call":6,"return":7,"outcome":"ok"}
			{"id":5,"client":"c2","object":"o","op":"acquire","call":8,"return":9,"outcome":"ok"}`,
		},
		{
			"a count by two while another is owed", model.Spec{Kind: model.KindLatch, Count: 3}, model.Undecided, true, `
			{"id":1,"client":"c1","object":"o","op":"count-down","call":1,"return":5,"outcome":"ok"}
			{"id":2,"client":"c2","object":"o","op":"read","call":2,"return":2,"outcome":"ok","valued":true,"value":2}
			{"id":3,"client":"c2","object":"o","op":"await","call":3,"return":4,"outcome":"ok"}
			{"id":4,"client":"c3","object":"o","op":"count-down","n":2,"call":4,"outcome":"unknown"}
			{"id":5,"client":"c1","object":"o","op":"count-down","call":6,"return":6,"outcome":"failed"}`,
		},
		{
			"a release that names another owner's hold ends none of that", model.Spec{Kind: model.KindReadWrite}, model.Holds, true, `
			{"id":1,"client":"c1","object":"o","op":"acquire-read","owner":"x","call":1,"return":2,"outcome":"ok"}
			{"id":2,"client":"c2","object":"o","op":"acquire-read","owner":"y","call":3,"return":4,"outcome":"ok"}
			{"id":3,"client":"c2","object":"o","op":"release-read","owner":"y","of":1,"call":5,"return":6,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"crash","call":7,"outcome":"unknown"}
			{"id":5,"client":"c3","object":"o","op":"acquire-write","call":8,"return":9,"outcome":"ok"}`,
		},
		{
			"an owner's writer crashes whose hold another process released by number", model.Spec{Kind: model.KindReadWrite}, model.Holds, true, `
			{"id":1,"client":"c1","object":"o","op":"acquire-write","owner":"x","call":1,"return":1,"outcome":"ok"}
			{"id":2,"client":"c1","object":"o","op":"acquire-write","call":2,"return":4,"outcome":"ok"}
			{"id":3,"client":"c2","object":"o","op":"release-write","owner":"x","of":2,"call":4,"return":5,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"crash","call":6,"outcome":"unknown"}
			{"id":5,"client":"c2","object":"o","op":"acquire-read","call":7,"return":9,"outcome":"ok"}
			{"id":6,"client":"c2","object":"o","op":"acquire-write","owner":"x","call":9,"outcome":"unknown"}`,
		},
		{
			"the hold of an owner's other process goes on", model.Spec{Kind: model.KindReadWrite}, model.Violated, false, `
			{"id":1,"client":"c1","object":"o","op":"acquire-read","owner":"x","call":1,"return":2,"outcome":"ok"}
			{"id":2,"client":"c2","object":"o","op":"acquire-read","owner":"x","call":3,"return":4,"outcome":"ok"}
			{"id":3,"client":"c1","object":"o","op":"crash","call":5,"outcome":"unknown"}
			{"id":4,"client":"c3","object":"o","op":"acquire-write","call":6,"return":7,"outcome":"ok"}`,
		},
		{
			"a crash ends the permits that the process acquired, and no others of the owner", model.Spec{Kind: model.KindSemaphore, Permits: 1}, model.Violated, false, `
			{"id":1,"client":"c1","object":"o","op":"acquire","owner":"x","call":2,"outcome":"unknown"}
			{"id":2,"client":"c1","object":"o","op":"crash","call":2,"outcome":"unknown"}
			{"id":3,"client":"c2","object":"o","op":"acquire","owner":"x","call":1,"return":1,"outcome":"ok"}
			{"id":4,"client":"c2","object":"o","op":"acquire","owner":"y","call":1,"return":3,"outcome":"ok"}`,
		},
		{
			"all that it acquired, though another acquired after it", model.Spec{Kind: model.KindSemaphore, Permits: 2}, model.Holds, true, `
			{"id":1,"client":"c2","object":"o","op":"acquire","owner":"y","call":1,"return":1,"outcome":"ok"}
			{"id":2,"client":"c1","object":"o","op":"acquire","owner":"y","call":3,"return":3,"outcome":"ok"}
			{"id":3,"client":"c1","object":"o","op":"acquire","owner":"x","call":3,"return":7,"outcome":"ok"}
			{"id":4,"client":"c2","object":"o","op":"crash","call":5,"outcome":"unknown"}`,
		},
		{
			"whose permits a release under way gives back is not known", model.Spec{Kind: model.KindSemaphore, Permits: 2}, model.Undecided, true, `
			{"id":1,"client":"c2","object":"o","op":"acquire","owner":"x","call":1,"return":2,"outcome":"ok"}
			{"id":2,"client":"c1","object":"o","op":"acquire","owner":"x","call":3,"return":4,"outcome":"ok"}
			{"id":3,"client":"c2","object":"o","op":"release","owner":"x","call":5,"return":9,"outcome":"ok"}
			{"id":4,"client":"c1","object":"o","op":"crash","call":6,"outcome":"unknown"}
			{"id":5,"client":"c3","object":"o","op":"acquire","n":2,"owner":"y","call":7,"return":8,"outcome":"ok"}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var calls []model.Call
			for line := range strings.Lines(strings.TrimSpace(test.calls)) {
				var c model.Call
				if err := json.Unmarshal([]byte(line), &c); err != nil {
					t.Fatal(err)
				}
				calls = append(calls, c)
			}
			if legal := porcupine.CheckOperations(objects.Model(test.spec), objects.Operations(test.spec, calls)); legal != test.legal {
				t.Errorf("porcupine: legal %v", legal)
			}
			r, err := monitor.Judge(test.spec, calls, monitor.Bound{Time: time.Nanosecond})
			switch {
			case err != nil:
				t.Fatal(err)
			case r.Searched != (test.want == model.Undecided), !r.Searched && r.Status != test.want:
				t.Errorf("the monitor: %+v, %+v", r, r.Violation)
			}
		})
	}
}
