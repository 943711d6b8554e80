package message

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
)

// Fleet are the facts for workers.
type Fleet struct {
	Manifest pieces.Manifest `json:"manifest"`
	Bucket   string          `json:"bucket"` // its URL, as the server sees it
	// Lease is how long a worker may be silent before its piece is handed out again, and Tries how often that is done.
	Lease time.Duration `json:"leaseNanos"`
	Tries int           `json:"tries"`
	// Over is empty while there is work, and otherwise why there is none.
	Over string `json:"over,omitempty"`
}

// ReadFleet reads the facts for workers.
func ReadFleet(data []byte) (*Fleet, error) {
	var f Fleet
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Lease < time.Second || f.Lease > time.Hour || f.Tries < 1 || f.Tries > 100 || !f.Manifest.Plan.Valid() {
		return nil, fmt.Errorf("a lease of %v, %d tries, pieces of %d of %d blocks", f.Lease, f.Tries, f.Manifest.Plan.Size, f.Manifest.Plan.Blocks)
	}
	f.Over, f.Manifest.Title = pieces.Shown(f.Over), pieces.Shown(f.Manifest.Title)
	return &f, nil
}

// Failed is what is known of failed tries.
type Failed struct {
	// Returned is how often a worker gave the piece back because it was asked to end: that is no failure.
	Returned int    `json:"returned"`
	Error    string `json:"error,omitempty"`
	Worker   string `json:"worker,omitempty"`
}

// ReadFailed reads what is known of earlier tries. Unreadable data is ignored.
func ReadFailed(data []byte) (f Failed) {
	if json.Unmarshal(data, &f) != nil || f.Returned < 0 || f.Worker != "" && !pieces.IsWorkerName(f.Worker) {
		return Failed{}
	}
	f.Error = pieces.Shown(f.Error)
	return f
}
