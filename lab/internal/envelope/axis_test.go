package envelope

import (
	"strings"
	"testing"
)

// TestParse: values and bounds of axes, and what is wrong with others.
func TestParse(t *testing.T) {
	for _, test := range []struct {
		axis Axis
		text string
		want int64
		err  string
	}{
		{Lease, "2s", 2 * second, ""},
		{Trip, "2.4ms", 24 * ms / 10, ""},
		{Drift, "0.1%", 1000, ""},
		{Drift, "25", 250_000, ""},
		{Lease, "1ms", 0, `lease="1ms": want a value from 100ms to 1m0s`},
		{Pause, "long", 0, `pause="long": want a value from 1ms to 20s`},
		{Drift, "60%", 0, `drift="60%": want a value from 0% to 50%`},
		{Hold, "-1s", 0, `hold="-1s": want a value from 20ms to 3s`},
	} {
		got, err := test.axis.Parse(test.text)
		if (err == nil) != (test.err == "") || err != nil && err.Error() != test.err || err == nil && got != test.want {
			t.Errorf("%s %s: %d, %v", test.axis, test.text, got, err)
		}
		if err == nil {
			if again, err := test.axis.Parse(test.axis.Text(got)); err != nil || again != got {
				t.Errorf("%s is written as %s, and read as %d, %v", test.text, test.axis.Text(got), again, err)
			}
		}
	}
	for text, want := range map[string]string{ // unordered: each by itself
		"lease=200ms..3s": "",
		"lease=3s..3s":    "the bounds cross",
		"lease=3s..1s":    "the bounds cross",
		"lease=3s":        "want an axis with its bounds, such as lease=200ms..3s",
		"lese=1s..2s":     `there is no axis "lese"`,
		"rtt=1s..9s":      `rtt="9s": want a value from 1ms to 2s`,
	} {
		if _, _, err := ParseBounds(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{ // unordered: each by itself
		"lease,pause": "", "pause,rtt": "", "lease": "want two axes", "lease,lease": "want two different axes", "lease,pause,rtt": "want two axes", "a,b": `there is no axis "a"`,
	} {
		if p, err := ParsePlane(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || err == nil && p.String() != text {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
}

// TestTicks: labels are round numbers within the bounds, and neither one nor many.
func TestTicks(t *testing.T) {
	for _, b := range []Bounds{{250 * ms, 2 * second}, {210 * ms, 2800 * ms}, {0, 200_000}, {10 * ms, 100 * ms}, {100 * ms, 60 * second}} {
		list := ticks(b)
		if len(list) < 3 || len(list) > 11 || list[0] < b.Low || list[len(list)-1] > b.High {
			t.Errorf("%v: %v", b, list)
		}
	}
}
