package confirm

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/lockpick-dev/lockpick/internal/realserver"
)

// process is a client process, as the driver has it.
type process struct {
	name    string
	command *exec.Cmd
	in      io.WriteCloser
	over    chan struct{} // closed when nobody listens any more
	orders  *json.Encoder
}

// said is a report of a client process, or its end.
type said struct {
	client string
	report
	end error
}

// startClient starts a client process and waits until it has made its lock.
func startClient(command []string, o outfit, heard chan<- said) (*process, error) {
	p := &process{name: o.Name, command: exec.Command(command[0], command[1:]...), over: make(chan struct{})}
	p.command.Env = append(os.Environ(), "GOMAXPROCS=2")
	realserver.EndWithParent(p.command) // also while it is stopped
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	p.orders = json.NewEncoder(p.in)
	if err := p.orders.Encode(o); err != nil {
		p.stop()
		return nil, err
	}
	reports := json.NewDecoder(out)
	var first report
	if err := reports.Decode(&first); err != nil || !first.Ready {
		p.stop()
		return nil, fmt.Errorf("the process of %s does not make its lock: %w", o.Name, err)
	}
	go p.listen(reports, heard)
	return p, nil
}

// listen passes on what the process says.
func (p *process) listen(reports *json.Decoder, heard chan<- said) {
	for {
		s := said{client: p.name}
		s.end = reports.Decode(&s.report)
		select {
		case heard <- s:
		case <-p.over:
			return
		}
		if s.end != nil {
			return
		}
	}
}

func (p *process) signal(s syscall.Signal) error { return p.command.Process.Signal(s) }

// stop kills the process, also one that is stopped.
func (p *process) stop() {
	close(p.over)
	_ = p.command.Process.Kill() // it may have ended
	_ = p.command.Wait()
}
