package attach

import (
	"strings"
	"testing"
)

// TestParse: the limits of a report are those of docs/attach.md, in characters.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`"lock":"` + strings.Repeat("é", maxLock) + `"`:   "",
		`"lock":"` + strings.Repeat("é", maxLock+1) + `"`: "longer than 100 characters",
		`"lock":"x","lease_ms":0`:                         "",
		`"lock":"x","lease_ms":86400000`:                  "",
		`"lock":"x","lease_ms":-1`:                        "lease_ms is 0 to 86400000",
		`"lock":"x","lease_ms":4611686018427387904`:       "lease_ms is 0 to 86400000",
	} {
		_, err := parse([]byte(`{"ready":true,"protocol":1,` + text + `}`))
		if err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
