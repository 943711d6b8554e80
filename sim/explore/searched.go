package explore

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/lockpick-dev/lockpick/model"
)

// Searched remembers the results of searches of remedies. The counterexamples of one search
// have the same remedies, and the searches of a remedy differ only in the violation that ends
// them. A search that ran to its end has the same result for every violation that it has not
// found. So remembering does not change results.
//
// The zero value is ready. It may be used by several goroutines.
type Searched struct {
	mutex sync.Mutex
	known map[string]came
}

// came is the part of a summary that determines a remedy's result.
type came struct {
	tally    Tally
	complete int // of a check: -1 if no bound was, or if the reduction does not hold
}

// once returns the remembered result of the search with the name, or else runs the search.
func (s *Searched) once(name string, v model.Violation, search func() (came, error)) (came, error) {
	if s == nil {
		return search()
	}
	s.mutex.Lock()
	got, ok := s.known[name]
	s.mutex.Unlock()
	if ok && !v.Shown(got.tally.order()) {
		return got, nil
	}
	got, err := search()
	if err != nil || v.Shown(got.tally.order()) { // it ended before its end
		return got, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.known == nil {
		s.known = map[string]came{}
	}
	s.known[name] = got
	return got, nil
}

// checkName and searchName return the same name for searches that differ only in the
// violation that ends them.
func checkName(cell json.RawMessage, bound, limit int) string {
	return fmt.Sprintf("check %s %d %d", cell, bound, limit)
}

func searchName(cell json.RawMessage, strategy string, seed uint64, schedules int) string {
	return fmt.Sprintf("search %s %s %d %d", cell, strategy, seed, schedules)
}
