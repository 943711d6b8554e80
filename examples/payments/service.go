package payments

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
	"github.com/lockpick-dev/lockpick/sim/server"
	"github.com/lockpick-dev/lockpick/sim/simhttp"
)

// service is the simulated service: one server, which keeps its payments when it crashes. Only the conductor uses it.
type service struct {
	*server.Host
	world    *sim.World
	observe  func(model.Observation)
	payments map[string][]Payment // by order
	keys     map[string]Payment   // what was paid with each key
}

// handle answers a request, as the real service does.
func (s *service) handle(x *simhttp.Exchange) {
	s.world.Served(x.Task, x.Request.Method)
	switch route := x.Request.Method + " " + x.Request.URL.Path; route {
	case "GET /payments":
		answer(x, http.StatusOK, append([]Payment{}, s.payments[x.Request.URL.Query().Get("order")]...))
	case "POST /payments":
		var p Payment
		if err := json.Unmarshal(x.Body, &p); err != nil {
			answer(x, http.StatusBadRequest, err.Error())
			return
		}
		key := x.Request.Header.Get("Idempotency-Key")
		if before, paid := s.keys[key]; key != "" && paid {
			answer(x, http.StatusOK, before)
			return
		}
		s.payments[p.Order], s.keys[key] = append(s.payments[p.Order], p), p
		s.Observe(model.Observation{
			Kind: model.RecordCreated, Key: fmt.Sprintf("%s/%d", p.Order, len(s.payments[p.Order])),
			Value: fmt.Sprint(p.Cents, " cents"), Owner: x.By(), By: x.By(),
		})
		answer(x, http.StatusCreated, p)
	default:
		x.Refuse("the simulated service does not support " + route)
	}
}

func answer(x *simhttp.Exchange, status int, content any) {
	text, _ := json.Marshal(content) // which has nothing that JSON lacks
	x.Respond(status, http.Header{"Content-Type": {"application/json"}}, text)
}

// Observe adds an observation of the service.
func (s *service) Observe(o model.Observation) {
	o = s.Logged(o)
	o.Authority = o.Node
	s.observe(o)
}

// The service as a server: it hangs, crashes and restarts.
func (s *service) Hang(d time.Duration) bool {
	return s.Host.Hang(d, func() {
		for _, f := range s.Held() {
			f()
		}
	})
}

func (s *service) Crash() {
	if s.Host.Crash(s.Observe) {
		s.Held()
		s.world.Network().Crash(s.Host.Actor)
	}
}

func (s *service) Actor() *sim.Actor { return s.Host.Actor }
func (s *service) Up() bool          { return !s.Down() }
func (s *service) Serves() bool      { return true }

// authority is the server as the only one.
type authority struct{ *service }

func (a authority) Nodes() []stage.Node { return []stage.Node{a.service} }
func (a authority) Serving() stage.Node { return a.service }
func (a authority) Addresses() []string { return []string{a.Address()} }
func (a authority) Restart(stage.Node, int) {
	a.Start()
	a.Observe(model.Observation{Kind: model.Returned})
}

// Store is the service as a store of a program.
var Store stage.Store = store{}

type store struct{}

func init() { payload.Register("payments", simhttp.Words{}.Open) } // a request is its method and path

func (store) ID() string                       { return "payments" }
func (store) Shape() []stage.Setting           { return nil }
func (store) Faults() []*stage.Fault           { return nil }
func (store) Versions() map[string]string      { return nil }
func (store) Lanes(stage.Params) [][]string    { return [][]string{{"bank"}} }
func (store) Traits(stage.Params) stage.Traits { return stage.Traits{Abandons: true} }

func (store) Terms() stage.Terms {
	return stage.Terms{
		Terms: model.Terms{Store: "the payment service", Node: "server", Serving: "server", Follower: "server", Record: "payment", Endless: true},
		Way:   "payments.Connect(p)", Kept: []string{"with all of its payments"},
	}
}

func (store) Timing() stage.Timing {
	return stage.Timing{Timeout: patience, Usual: patience, Long: patience, Recovery: 20 * time.Second}
}

func (store) Build(w *sim.World, _ stage.Params, observe func(model.Observation)) stage.Cluster {
	s := &service{world: w, observe: observe, payments: map[string][]Payment{}, keys: map[string]Payment{}}
	s.Host = server.NewHost(w, "bank", "10.0.9.1:80", func(c *sim.ServerConn) sim.Handler { return simhttp.Serve(c, s.Do, s.handle) })
	return stage.Cluster{{Authority: authority{s}}}
}

// patience is how long a client waits for an answer.
const patience = time.Second

// Connect returns a client of the service in a run: net/http's own, on the simulated network.
func Connect(h cell.Host) *Client {
	c := h.AsClient().Reach("payments", "payments.Store")
	transport := &http.Transport{DialContext: c.Dial, DisableKeepAlives: true}
	c.Cleanup(transport.CloseIdleConnections)
	return &Client{HTTP: &http.Client{Transport: transport, Timeout: patience}, URL: "http://" + c.Addresses()[0]}
}
