package fleet

import (
	"fmt"
	"io"
	"sync"

	"github.com/lockpick-dev/lockpick/fleet/internal/queue"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/shards"
)

// Command returns the command fleet, for simrun.Commands.
func Command() command.Command {
	return command.Command{Name: "fleet", Help: "Search with many machines: hand out the blocks of one search, and join what comes back.", Grammar: &grammar{}}
}

type grammar struct {
	Serve  serveCmd  `cmd:"" help:"Hand out a search to workers, and report its result as run does."`
	Work   workCmd   `cmd:"" help:"Search pieces for a server, until its search is over."`
	Status statusCmd `cmd:"" help:"Show the state of a search."`
}

// accessFlags are the flags for reaching the queue.
type accessFlags struct {
	Name  string `default:"fleet" help:"The name of the fleet, where a server has several (default ${default})." placeholder:"NAME"`
	Token string `env:"SIMRUN_FLEET_TOKEN" help:"The common secret of server and workers; better in the variable SIMRUN_FLEET_TOKEN, where other users of the machine do not see it." placeholder:"SECRET"`
	Creds string `help:"A file with the credentials for the cluster." placeholder:"FILE"`
}

func (f *accessFlags) access(url string) queue.Access {
	return queue.Access{URL: url, Token: f.Token, Creds: f.Creds}
}

// checkBuild refuses another program than the one that began the search.
func checkBuild(began string, any bool) error {
	here, err := shards.Program()
	if err != nil || any || here == began {
		return err
	}
	return command.Usagef("this program is another build than the one that began the search: SHA-256 %.12s here, %.12s there; equal versions may be built of different code: "+
		"run the same program everywhere, or use --any-build if both are the same code", here, began)
}

// sayer prints messages, a line each; once prints each only once.
type sayer struct {
	mutex sync.Mutex
	out   io.Writer
	said  map[string]bool
}

func (s *sayer) say(format string, args ...any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	fmt.Fprintf(s.out, "simrun: "+format+"\n", args...)
}

// once prints a message that has not been printed yet.
func (s *sayer) once(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.said[text] {
		return
	}
	if s.said == nil {
		s.said = map[string]bool{}
	}
	s.said[text] = true
	fmt.Fprintln(s.out, "simrun: "+text)
}
