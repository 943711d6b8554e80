// Package tail keeps the end of a process's output. It is safe for concurrent use. It reads no output by itself.
package tail

import (
	"strings"
	"sync"
)

// Buffer keeps the last bytes that were written to it. The zero Buffer is empty. It is safe for concurrent use.
type Buffer struct {
	mu   sync.Mutex
	last []byte
}

const most = 8 << 10

// Write adds bytes. It never fails.
func (w *Buffer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = append(w.last, b...)
	w.last = w.last[max(0, len(w.last)-most):]
	return len(b), nil
}

// String returns what was kept, without white space at the ends.
func (w *Buffer) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(string(w.last))
}
