package attach

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/real/internal/tail"
)

// ClientError is a client that breaks the protocol, or has ended by itself. It says nothing about the lock.
type ClientError struct {
	Client string
	// What it did, as the end of a sentence: "has ended (exit status 1)".
	What string
	// Output is the end of its standard error.
	Output string
	// Fatal is set if no other run can go better, such as for a client of another version.
	Fatal bool
}

func (e *ClientError) Error() string {
	text := "the client " + e.Client + " " + e.What
	if e.Output != "" {
		text += "; the end of its standard error:\n  " + strings.ReplaceAll(e.Output, "\n", "\n  ")
	}
	return text
}

// CommandError is a command that cannot be started.
type CommandError struct {
	Command string
	Err     error
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("the command %s cannot be started: %v", e.Command, e.Err)
}

// Unwrap returns the cause.
func (e *CommandError) Unwrap() error { return e.Err }

// client is a client process.
type client struct {
	name    string
	command *exec.Cmd
	in      io.WriteCloser
	output  tail.Buffer   // its standard error
	over    chan struct{} // closed once nothing listens to it any more
	lock    string        // its description
	lease   time.Duration // its leases, 0 for none
	stopped bool
}

// heard is a report of a client at a time, or why there is none.
type heard struct {
	*client
	*report
	at  time.Time
	err error // a line that is no report
	end bool  // its standard output has ended
}

// start starts the process of a client.
func (t *Target) start(name string) (*client, io.Reader, error) {
	c := &client{name: name, command: exec.Command(t.Command[0], t.Command[1:]...), over: make(chan struct{})}
	c.command.Stderr, c.command.Dir = &c.output, t.Dir
	c.command.WaitDelay = time.Second // a child of the process may hold its output open
	realserver.EndWithParent(c.command)
	ownGroup(c.command)
	in, err := c.command.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, nil, &CommandError{t.Command[0], err}
	}
	c.in = in
	return c, out, nil
}

// listen passes on the reports of the process.
func (c *client) listen(out io.Reader, to chan<- heard) {
	pass := func(h heard) bool {
		h.client, h.at = c, time.Now()
		select {
		case to <- h:
			return true
		case <-c.over:
			return false
		}
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if len(strings.TrimSpace(lines.Text())) == 0 {
			continue
		}
		r, err := parse(lines.Bytes())
		if !pass(heard{report: r, err: err}) {
			return
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		pass(heard{err: fmt.Errorf("a line is longer than %d bytes", maxLine)})
		return
	}
	pass(heard{end: true})
}

// send sends an order. The end of a process is seen at its output.
func (c *client) send(o order) {
	line, err := json.Marshal(o)
	if err == nil {
		_, _ = c.in.Write(append(line, '\n'))
	}
}

// hang stops the process and its children, or lets them go on.
func (c *client) hang(on bool) error {
	c.stopped = on
	signalGroup(c.command.Process, on)
	return realserver.Hang(c.command.Process, on)
}

// kill kills the process and its children. It may have ended.
func (c *client) kill() {
	killGroup(c.command.Process)
	_ = c.command.Process.Kill()
	_ = c.in.Close()
	_ = c.command.Wait()
}

// broken returns the error of a client that has done something.
func (c *client) broken(format string, args ...any) *ClientError {
	return &ClientError{Client: c.name, What: fmt.Sprintf(format, args...), Output: c.output.String()}
}

// gone returns the error of a client that has ended by itself.
func (c *client) gone() *ClientError {
	_ = c.in.Close()
	timer := time.AfterFunc(time.Second, func() { killGroup(c.command.Process) }) // it has only closed its output
	defer timer.Stop()
	err := c.command.Wait()
	how := "exit status 0"
	if err != nil {
		how = err.Error()
	}
	return c.broken("has ended (%s)", how)
}

// stop kills the process, and stops listening to it.
func (c *client) stop() {
	close(c.over)
	c.kill()
}
