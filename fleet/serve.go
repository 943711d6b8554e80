package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/lockpick-dev/lockpick/fleet/internal/bucket"
	"github.com/lockpick-dev/lockpick/fleet/internal/message"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/fleet/internal/queue"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/internal/shards"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// serveCmd hands out a search.
type serveCmd struct {
	Scenario string   `arg:"" help:"The scenario to search; see simrun list."`
	Lock     string   `default:"${lock}" aliases:"program" help:"The lock to search, or the program; see simrun list (default ${default})." placeholder:"LOCK"`
	Param    []string `short:"p" sep:"none" help:"Set a parameter of the scenario, as name=value; may be repeated." placeholder:"NAME=VALUE"`
	Runs     int      `default:"${runs}" help:"How many schedules to run (default ${default})." placeholder:"N"`
	Seed     uint64   `default:"${seed}" help:"The seed of the search: the same seed, the same schedules (default ${default})." placeholder:"S"`
	Strategy string   `default:"portfolio" enum:"${strategies}" help:"How to choose the schedules (default ${default}); see simrun help run." placeholder:"NAME"`

	Bucket string        `required:"" help:"Where to keep results: a directory that all machines share, or s3://NAME, gs://NAME, azblob://NAME, with ?prefix=DIR/ for a part of it. One search each." placeholder:"URL"`
	NATS   string        `name:"nats" help:"The address of a cluster of NATS with JetStream, in place of a server of its own." placeholder:"URL"`
	Listen string        `default:"127.0.0.1:4222" help:"Where the server listens for workers (default ${default}). Other addresses than this machine's own need --token." placeholder:"HOST:PORT"`
	Store  string        `default:"simrun-fleet" help:"The directory of the server's queue (default ${default}). If it is lost, the search goes on from the bucket." placeholder:"DIR"`
	Drop   bool          `help:"Drop an unfinished search that the queue has. Its bucket is kept."`
	Piece  int           `help:"How many blocks of 256 schedules to hand out at a time (default: by the length of the search, at most 128)." placeholder:"N"`
	Lease  time.Duration `default:"30s" help:"How long a worker may be silent before its piece is handed out again (default ${default})." placeholder:"D"`
	Tries  int           `default:"5" help:"How often a piece is handed out before it is set aside (default ${default})." placeholder:"N"`
	Retry  bool          `help:"Hand out again the pieces that were set aside."`
	Again  float64       `default:"1" help:"The percentage of the pieces that the server itself searches again at the end, 0 to 100 and at least one piece unless 0, to compare with the workers' results (default ${default})." placeholder:"PERCENT"`

	Jobs     int    `default:"${cpus}" help:"How many worker processes search pieces again and shrink the findings at the end, 1 to 256 (default ${default})." placeholder:"J"`
	Out      string `short:"o" default:"simrun-out" help:"The directory for traces and the state of the search (default ${default}); the bucket gets a copy." placeholder:"DIR"`
	NoShrink bool   `name:"no-shrink" help:"Do not shrink findings or determine what they need."`
	JSON     bool   `name:"json" help:"Print one JSON object per line: findings, then a summary."`
	JUnit    string `name:"junit" help:"Write the result as JUnit XML to this file: a test case for each property." placeholder:"FILE"`
	Stable   bool   `help:"Leave out elapsed times, which differ from run to run."`
	Page     string `help:"Write the state of the search to this file, as a page that grows." placeholder:"FILE.html"`
	AnyBuild bool   `name:"any-build" help:"Go on although another build of the program began the search."`
	accessFlags
}

// Validate checks what kong cannot.
func (c *serveCmd) Validate() error {
	switch {
	case c.Jobs < 1 || c.Jobs > 256:
		return fmt.Errorf("--jobs=%d: want 1 to 256", c.Jobs)
	case c.Piece < 0 || c.Piece > 1<<16:
		return fmt.Errorf("--piece=%d: want 1 to %d", c.Piece, 1<<16)
	case c.Lease < time.Second || c.Lease > time.Hour:
		return fmt.Errorf("--lease=%v: want 1s to 1h", c.Lease)
	case c.Tries < 1 || c.Tries > 100:
		return fmt.Errorf("--tries=%d: want 1 to 100", c.Tries)
	case !(c.Again >= 0 && c.Again <= 100):
		return fmt.Errorf("--again=%v: want 0 to 100 percent", c.Again)
	}
	return nil
}

// serving is a server at work.
type serving struct {
	*sayer
	flags  *serveCmd
	host   command.Host
	search command.Search
	bucket *bucket.Bucket
	fleet  message.Fleet
	hash   string
	track  *track
	queue  *queue.Queue
	server *queue.Server // nil with a cluster
	news   chan struct{} // reports of results have arrived
	watch  []watcher
}

// watcher gets the state of the search, again and again, and at the end.
type watcher interface {
	saw(Status)
	close() error
}

// Run serves until the search is over, and reports the result.
func (c *serveCmd) Run(ctx context.Context, h command.Host) (err error) {
	search, err := h.Ask(command.Asked{Scenario: c.Scenario, Lock: c.Lock, Parameters: c.Param, Runs: c.Runs, Seed: c.Seed, Strategy: c.Strategy})
	if err != nil {
		return err
	}
	s := &serving{sayer: &sayer{out: h.Err()}, flags: c, host: h, search: search, news: make(chan struct{}, 1)}
	if err := s.open(ctx); err != nil {
		return err
	}
	defer s.bucket.Close()
	if err := s.scan(ctx, true); err != nil {
		return err
	}
	if err := s.watchers(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.unwatch()) }()
	if len(s.track.open()) > 0 {
		if err := s.start(ctx); err != nil {
			return err
		}
		defer s.stop()
	} else {
		s.say("all results are in the bucket %s", s.bucket)
	}
	for {
		if err := s.wait(ctx); err != nil {
			return err
		}
		merged, missing, err := s.merge(ctx)
		if err != nil {
			return err
		}
		if merged != nil {
			return s.conclude(ctx, merged, missing)
		}
		if s.queue == nil { // the existing one is damaged
			if err := s.start(ctx); err != nil {
				return err
			}
			defer s.stop()
		}
	}
}

// open opens the bucket, for this search only.
func (s *serving) open(ctx context.Context) error {
	address, err := bucket.URL(s.flags.Bucket)
	if err != nil {
		return err
	}
	if s.bucket, err = bucket.Open(ctx, address); err != nil {
		return err
	}
	own, err := shards.Program()
	if err != nil {
		return err
	}
	want := bucket.NewManifest(s.search, pieces.NewPlan(s.search.Blocks(), s.flags.Piece), own)
	there, err := s.bucket.Begin(ctx, want)
	if err != nil {
		return err
	}
	other := "the bucket " + s.bucket.String()
	differs, err := s.search.Differs(there.Identity, other)
	switch {
	case err != nil:
		return err
	case differs != "":
		return command.Usagef("%s has another search: %s; name another bucket, or another ?prefix= in it", other, differs)
	case s.flags.Piece != 0 && there.Plan.Size != s.flags.Piece:
		return command.Usagef("--piece=%d: the search in %s is cut into pieces of %d blocks: leave out --piece to go on, or name another bucket", s.flags.Piece, other, there.Plan.Size)
	}
	if err := there.Plan.Check(s.search.Blocks()); err != nil {
		return command.Usagef("the plan in the object search.json of %s is damaged: %w; name another bucket, or remove it to search anew", other, err)
	}
	if err := checkBuild(there.Build, s.flags.AnyBuild); err != nil {
		return err
	}
	s.fleet = message.Fleet{Manifest: *there, Bucket: s.bucket.URL(), Lease: s.flags.Lease, Tries: s.flags.Tries}
	s.hash, s.track = there.Search(), newTrack(there.Plan)
	return s.retry(ctx)
}

// retry takes back the pieces that were set aside, if requested.
func (s *serving) retry(ctx context.Context) error {
	if !s.flags.Retry {
		return nil
	}
	list, err := s.bucket.Asides(ctx)
	for _, a := range list {
		err = errors.Join(err, s.bucket.TakeBack(ctx, a.Range()))
	}
	return err
}

// start starts the queue, and puts the open pieces into it.
func (s *serving) start(ctx context.Context) error {
	nc, err := s.connect()
	if err != nil {
		return err
	}
	if s.queue, err = queue.Create(ctx, nc, s.flags.Name, s.fleet, s.flags.Drop); err != nil {
		nc.Close()
		s.stop()
		return err
	}
	err = s.queue.Reports(func(r message.Report) {
		s.track.heard(r)
		if r.Kind != message.Alive {
			s.warn(r)
			select {
			case s.news <- struct{}{}:
			default:
			}
		}
	}, func(err error) { s.once("%v; it is left out", err) })
	if err := errors.Join(err, s.queue.Answer(func() any { return s.status(ctx) }), s.handOut(ctx)); err != nil {
		return err
	}
	if n, cluster := s.queue.Copies(); cluster != "" && n == 1 {
		s.say("the cluster %s keeps the queue on one server only, since it has not three: if that one is lost, start this command again, and it goes on from the bucket", cluster)
	}
	at, name := s.flags.NATS, ""
	if s.server != nil {
		at = s.server.ClientURL()
	}
	if s.flags.Name != "fleet" {
		name = " --name " + s.flags.Name
	}
	s.say("%s: %d of %d pieces are to be searched; start workers by: %s fleet work --nats %s%s", s.search.Title(), len(s.track.open()), s.track.plan.Pieces(), s.host.Program(), at, name)
	return nil
}

// connect connects to the cluster, or to a server that it starts.
func (s *serving) connect() (nc *nats.Conn, err error) {
	if s.flags.NATS != "" {
		return queue.Connect(s.flags.access(s.flags.NATS), "simrun fleet serve")
	}
	if s.server, err = queue.StartServer(s.flags.Listen, s.flags.Token, s.flags.Store); err != nil {
		return nil, err
	}
	return s.server.Connect("simrun fleet serve")
}

// handOut puts the open pieces into the queue.
func (s *serving) handOut(ctx context.Context) error { return s.queue.Publish(ctx, s.track.open()) }

// warn prints a worker's report of a piece that could not be searched, or whose results differ.
func (s *serving) warn(r message.Report) {
	switch r.Kind {
	case message.Failure:
		s.once("%s: worker %s could not search it: %s", spanText(r.Range), r.Worker, r.Text)
	case message.Differs:
		s.once("%s: worker %s has another result than an earlier one", spanText(r.Range), r.Worker)
	}
}

// conclude reports the result, as simrun run does.
func (s *serving) conclude(ctx context.Context, m *pieces.Merge, missing bool) error {
	why := "all of it is searched"
	if missing {
		why = "all of it is searched except the pieces that were set aside"
	}
	s.end(ctx, why)
	if err := s.searchAgain(ctx); err != nil {
		return err
	}
	var printed bytes.Buffer
	c := command.Conclusion{
		State: m.State(), Sampled: m.Sampled(), Missing: missing, Jobs: s.flags.Jobs, Out: s.flags.Out,
		NoShrink: s.flags.NoShrink, JSON: s.flags.JSON, JUnit: s.flags.JUnit, Stable: s.flags.Stable, Copy: &printed,
	}
	files, result := s.search.Conclude(ctx, c)
	var unfounded *explore.Unfounded
	if errors.As(result, &unfounded) {
		worker, r := s.track.worker(unfounded.Schedule)
		return command.Nondeterministic{Err: fmt.Errorf("the worker %s has sent a finding in %s that it cannot have seen, so none of the search is believed: %w; %s", worker, spanText(r), result, s.distrust())}
	}
	if ctx.Err() != nil || len(files) == 0 {
		return result
	}
	for _, path := range files {
		if _, err := os.Stat(path); err != nil { // the error says why
			s.say("the result is not whole in %s, and was not copied into the bucket; all that was searched is in %s: the same command makes the result of it", s.flags.Out, s.bucket)
			return result
		}
	}
	if err := s.bucket.Publish(ctx, files, printed.Bytes()); err != nil {
		s.say("%v; the result is in %s", err, s.flags.Out)
		if result == nil {
			return errors.New("the result is not in the bucket")
		}
	}
	return result
}

// end notifies the workers that the search is over.
func (s *serving) end(ctx context.Context, why string) {
	if s.queue == nil {
		return
	}
	if err := errors.Join(s.queue.Withdraw(ctx), s.queue.Over(ctx, s.fleet, why)); err != nil {
		s.say("the workers cannot be notified that the search is over: %v", err)
	}
}

// stop ends the server. Workers that know that the search is over have a while to leave.
func (s *serving) stop() {
	if s.server == nil {
		return
	}
	if s.queue == nil { // it could not be created
		s.server.Stop()
		return
	}
	if f, err := s.queue.Fleet(context.Background()); err == nil && f != nil && f.Over != "" {
		for begin := time.Now(); s.server.NumClients() > 1 && time.Since(begin) < 5*time.Second; {
			time.Sleep(50 * time.Millisecond)
		}
		_ = s.queue.Drop(context.Background()) // later workers are not notified of the end, in case there is more to do by then
	}
	s.server.Stop()
}
