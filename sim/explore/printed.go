package explore

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

// A recorded run remarks what its code prints. Until it ends, standard output and error are a file, in which a write never waits; after
// each step the run reads what has arrived (sim.Config.Printed), and all of it goes on to where it would have gone. A run that is not
// recorded prints as ever.

// printedVariable names the file descriptor of that file in worker processes that got one from the process that has started them. So if
// a worker dies in such a run, its last words are not lost with it.
const printedVariable = "SIMRUN_PRINTED"

// printing is what is printed while a recorded run goes on.
type printing struct {
	file    *os.File
	read    atomic.Int64 // so far; the watchdog looks at it
	taking  sync.Mutex   // held by take: a run that was given up may call it beside stop
	chunk   []byte
	usual   *os.File // standard error as it was, to which all of it is copied
	restore func()
}

// outputIsResults is set in a worker whose standard output has its results.
var outputIsResults bool

// startPrinting begins to collect what is printed, nil if that is not possible here.
func startPrinting() *printing {
	file := printedFile()
	if file == nil {
		return nil
	}
	p := &printing{file: file, chunk: make([]byte, 32<<10)}
	if info, err := file.Stat(); err == nil {
		p.read.Store(info.Size())
	}
	var err error
	if p.usual, p.restore, err = redirect(file, !outputIsResults); err != nil {
		return nil
	}
	return p
}

// take returns what was printed since the last call, or a part of it; nothing if that was all.
func (p *printing) take() []byte {
	p.taking.Lock()
	defer p.taking.Unlock()
	n, _ := p.file.ReadAt(p.chunk, p.read.Load()) // its end is no error, and for another there is no remedy
	if read := p.read.Add(int64(n)); n == 0 && read > 0 {
		_ = p.file.Truncate(0)
		p.read.Store(0)
	}
	if n > 0 {
		_, _ = p.usual.Write(p.chunk[:n])
	}
	return bytes.Clone(p.chunk[:n])
}

// stop ends the collection.
func (p *printing) stop() {
	p.restore()
	for len(p.take()) > 0 {
	}
	if p.usual != os.Stderr {
		_ = p.usual.Close()
	}
}

// size returns how much was printed and not taken yet.
func (p *printing) size() int64 {
	info, err := p.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size() - p.read.Load()
}

// flooded returns the trouble of a run in which code prints without end in one step, nil if it does not.
func (p *printing) flooded() *Trouble {
	if p == nil || p.size() <= maxPrinted {
		return nil
	}
	return &Trouble{Kind: Inconclusive, Cause: Printing, Reason: fmt.Sprintf("the code under test printed more than %d MB in one run, which was given up", maxPrinted>>20)}
}

// printedFile returns the file for what is printed: the one that the process got, or one of its own.
func printedFile() *os.File {
	if ownPrinted != nil {
		return ownPrinted
	}
	if fd, err := strconv.Atoi(os.Getenv(printedVariable)); err == nil {
		ownPrinted = os.NewFile(uintptr(fd), "printed")
	} else {
		ownPrinted = newPrintedFile()
	}
	return ownPrinted
}

var ownPrinted *os.File

// newPrintedFile returns a file without a name, nil if there can be none.
func newPrintedFile() *os.File {
	named, err := os.CreateTemp("", "lockpick-*")
	if err != nil {
		return nil
	}
	defer named.Close()
	defer os.Remove(named.Name())
	file, err := os.OpenFile(named.Name(), os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil
	}
	return file
}
