package packed

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// TestSeal: a sealed text is still JSON, is read as it was, and no other text is read in its place.
func TestSeal(t *testing.T) {
	for _, text := range []string{"{\"a\":1}\n", "{\"a\":1}\n{\"b\":\"}\"}\n"} {
		sealed := Seal([]byte(text))
		if got, err := Unseal(sealed); err != nil || string(got) != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		for bit := range 8 * len(sealed) {
			other := append([]byte{}, sealed...)
			other[bit/8] ^= 1 << (bit % 8)
			if got, err := Unseal(other); err == nil {
				t.Fatalf("bit %d: %q is read as %q", bit, other, got)
			}
		}
		for n := range sealed {
			if _, err := Unseal(sealed[:n]); !errors.Is(err, ErrNoSeal) {
				t.Errorf("of %d bytes: %v", n, err)
			}
		}
	}
	if !json.Valid(Seal([]byte("{\"a\":1}\n"))) {
		t.Error("a sealed object is no JSON")
	}
	if _, err := Unseal([]byte("{\"a\":1}\n")); !errors.Is(err, ErrNoSeal) {
		t.Errorf("without a seal: %v", err)
	}
}

// TestSealAll: every text that ends with an object can be sealed.
func TestSealAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + "x}\n"
		if got, err := Unseal(Seal([]byte(text))); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	})
}
