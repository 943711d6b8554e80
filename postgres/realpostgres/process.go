package realpostgres

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// Process is a running PostgreSQL or PgBouncer. A PostgreSQL has a process for each connection, which Hang and Stop
// include.
type Process struct {
	process *realserver.Process
	command *exec.Cmd
}

// run starts a program in the directory as the servers' user.
func run(dir string, command *exec.Cmd, ask func() error) (*Process, error) {
	if err := own(dir); err != nil {
		return nil, err
	}
	asOwner(command)
	p, err := realserver.Run(dir, command, ask)
	if err != nil {
		return nil, err
	}
	return &Process{p, command}, nil
}

// family returns the processes: the one that was started, and its children.
func (p *Process) family() []int {
	parent := p.command.Process.Pid
	list := []int{parent}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well-formed
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name of the program, in brackets, may have blanks. The state and the parent follow it.
		_, after, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				list = append(list, pid)
			}
		}
	}
	return list
}

// Hang stops the processes, as SIGSTOP does, or lets them go on.
func (p *Process) Hang(on bool) error {
	var errs error
	for i, pid := range p.family() {
		process, err := os.FindProcess(pid)
		if err == nil {
			err = realserver.Hang(process, on)
		}
		if i == 0 || !errors.Is(err, os.ErrProcessDone) {
			errs = errors.Join(errs, err)
		}
	}
	return errs
}

// Stop kills the processes, as a crash of the server's machine does, and waits until they are gone.
func (p *Process) Stop() {
	children := p.family()[1:]
	p.process.Stop()
	for _, pid := range children {
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill() // it ends by itself, too
			await(process)
		}
	}
}

// await waits until a process is gone, for a second at most.
func await(process *os.Process) {
	for range 1000 {
		if process.Signal(syscall.Signal(0)) != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// answers returns an error unless the server or the pooler at the address lets a client log in.
func answers(addr string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	f := pgproto3.NewFrontend(c, c)
	f.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "postgres", "database": "postgres"}})
	if err := f.Flush(); err != nil {
		return err
	}
	for {
		m, err := f.Receive()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *pgproto3.ReadyForQuery:
			f.Send(&pgproto3.Terminate{})
			_ = f.Flush()
			_, _ = io.Copy(io.Discard, c) // until the session has ended
			return nil
		case *pgproto3.ErrorResponse:
			return errors.New(m.Severity + ": " + m.Message)
		}
	}
}
