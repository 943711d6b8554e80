package pieces

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Manifest describes the search of a bucket or a queue.
type Manifest struct {
	Schema int `json:"schema"`
	// Identity is everything that the result depends on, in simrun's form.
	Identity json.RawMessage `json:"identity"`
	Title    string          `json:"title"`
	Plan     Plan            `json:"plan"`
	// Build is the SHA-256 of the program that began the search: equal versions may be built of different code.
	Build string `json:"build"`
}

// Search returns the hash of the search: of its identity and plan.
func (m *Manifest) Search() string {
	raw, err := json.Marshal(Manifest{Schema: m.Schema, Identity: m.Identity, Plan: m.Plan})
	if err != nil {
		panic(err) // strings and numbers only
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// Same reports whether both describe the same search.
func (m *Manifest) Same(o *Manifest) bool { return bytes.Equal([]byte(m.Search()), []byte(o.Search())) }
