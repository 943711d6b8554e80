package explore

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

// A recorded run keeps the output of its code as remarks. Until the run ends, standard output and error are a file, so
// that a write never blocks; after each step the run reads the new output (sim.Config.Printed) and copies it to its
// usual place. A run that is not recorded prints as usual.

// printedVariable names the environment variable with the descriptor of that file in a worker process that got the file
// from its parent. So if the worker dies in such a run, its last output is not lost.
const printedVariable = "SIMRUN_PRINTED"

// printing collects the output of a recorded run.
type printing struct {
	file    *os.File
	read    atomic.Int64 // bytes so far; the watchdog reads it
	taking  sync.Mutex   // held by take: a run that was given up may call it beside stop
	chunk   []byte
	usual   *os.File // the usual standard error, to which all output is copied
	restore func()
}

// outputIsResults is set in a worker that writes its results to standard output.
var outputIsResults bool

// startPrinting begins to collect output. It returns nil if this system does not
// support that.
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

// take returns output since the last call, or a part of it; nothing if there is no more.
func (p *printing) take() []byte {
	p.taking.Lock()
	defer p.taking.Unlock()
	n, _ := p.file.ReadAt(p.chunk, p.read.Load()) // io.EOF is not an error, and others have no remedy
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

// size returns the number of bytes that were printed and not taken yet.
func (p *printing) size() int64 {
	info, err := p.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size() - p.read.Load()
}

// flooded returns the trouble of a run that prints without end in one step, or nil.
func (p *printing) flooded() *Trouble {
	if p == nil || p.size() <= maxPrinted {
		return nil
	}
	return &Trouble{Kind: Inconclusive, Cause: Printing, Reason: fmt.Sprintf("the code under test printed more than %d MB in one run, which was given up", maxPrinted>>20)}
}

// printedFile returns the file for output: the one that the process got from its parent, or a new
// one.
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

// newPrintedFile returns a new file without a name, or nil if that fails.
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
