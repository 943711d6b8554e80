package realserver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// patience is the maximum time until a server answers.
	patience = 60 * time.Second
	// pause is the time between two questions to a server.
	pause = 20 * time.Millisecond
)

// Process is a running server.
type Process struct {
	command *exec.Cmd
	gone    chan struct{} // closed when the process has ended
	log     bytes.Buffer  // complete when gone is closed
	stopped atomic.Bool   // by Stop
}

// Run starts a server in the directory and waits until ask returns no error. If the server ends before, or does not answer
// within a minute, it is stopped, and the error has its log. If it ends by itself later, its log goes to standard error.
func Run(dir string, command *exec.Cmd, ask func() error) (*Process, error) {
	p := &Process{command: command, gone: make(chan struct{})}
	command.Dir, command.Stdout, command.Stderr = dir, &p.log, &p.log
	EndWithParent(command)
	if err := command.Start(); err != nil {
		return nil, err
	}
	answers := make(chan bool, 1)
	go func() {
		err := command.Wait()
		close(p.gone)
		if <-answers && !p.stopped.Load() {
			fmt.Fprintf(os.Stderr, "%s has ended by itself (%v):\n%s", command, err, p.log.String())
		}
	}()
	err := p.ready(ask)
	answers <- err == nil
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("%w:\n%s", err, p.log.String())
	}
	return p, nil
}

// ready waits until the server answers, or has ended.
func (p *Process) ready(ask func() error) error {
	deadline := time.After(patience)
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-p.gone:
			return errors.New("it has ended")
		case <-deadline:
			return fmt.Errorf("it does not answer within %v: %w", patience, err)
		case <-time.After(pause):
		}
	}
}

// Eventually calls ask every two milliseconds until it returns no error, at most for patience, and returns the last error.
func Eventually(patience time.Duration, ask func() error) error {
	end := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil || time.Now().After(end) {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Freeze stops the process, as SIGSTOP does, until the returned function is called or the test is over.
func (p *Process) Freeze(t testing.TB) (thaw func()) {
	t.Helper()
	if err := p.Hang(true); err != nil {
		t.Fatal(err)
	}
	thaw = func() { _ = p.Hang(false) } // it may have ended
	t.Cleanup(thaw)
	return thaw
}

// Hang stops the process, as SIGSTOP does, or lets it go on.
func (p *Process) Hang(on bool) error {
	return Hang(p.command.Process, on)
}

// Stop kills the server and waits until it is gone.
func (p *Process) Stop() {
	p.stopped.Store(true)
	_ = p.command.Process.Kill()
	<-p.gone
}
