package histories

import (
	"encoding/json"
	"strings"

	"github.com/lockpick-dev/lockpick/model"
)

// Text prints calls, one a line, for the message of a test that failed.
func Text(calls []model.Call) string {
	var w strings.Builder
	for i := range calls {
		line, err := json.Marshal(&calls[i])
		if err != nil {
			panic(err) // a Call has nothing that JSON cannot say
		}
		w.Write(line)
		w.WriteByte('\n')
	}
	return w.String()
}
