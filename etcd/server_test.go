package etcd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	etcdstore "github.com/lockpick-dev/lockpick/scenarios/etcd"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/simh2"
)

// store is what a cluster keeps: keys with revisions, leases and watches. All members share
// one, as if they agreed at once. It does as much of etcd as sessions, mutexes and
// elections need.
type store struct {
	world   *sim.World
	members []*member
	rev     int64
	keys    map[string]*mvccpb.KeyValue
	leases  map[int64]*lease
	granted int64
	watches []*watch
}

type member struct {
	actor   *sim.Actor
	address string
	store   *store
	conns   []*simh2.Conn
}

// lease is valid until it is not kept alive in time.
type lease struct {
	id, ttl int64
	cancel  func()
}

// watch is a watcher in a stream.
type watch struct {
	stream   *simh2.Stream
	id       int64
	key, end string
}

// newStore adds a cluster to a world.
func newStore(w *sim.World, members int) *store {
	s := &store{world: w, rev: 1, keys: map[string]*mvccpb.KeyValue{}, leases: map[int64]*lease{}}
	for i := range members {
		m := &member{actor: w.NewActor(fmt.Sprint("etcd", i+1)), address: fmt.Sprintf("10.0.1.%d:2379", i+1), store: s}
		s.members = append(s.members, m)
		m.listen()
	}
	return s
}

func (s *store) addresses() (list []string) {
	for _, m := range s.members {
		list = append(list, m.address)
	}
	return list
}

func (m *member) listen() {
	m.store.world.Network().Listen(m.address, m.actor, func(c *sim.ServerConn) sim.Handler {
		conn := simh2.Serve(c, &session{store: m.store, methods: map[*simh2.Stream]string{}})
		m.conns = append(m.conns, conn)
		return conn
	})
}

// session serves one connection.
type session struct {
	*store
	methods map[*simh2.Stream]string
	opened  int64 // watchers
}

func (s *session) Open(stream *simh2.Stream, method string, _ map[string]string, _ *sim.Task) {
	s.methods[stream] = method
}

func (*session) HalfClose(*simh2.Stream, *sim.Task) {}

func (s *session) Reset(stream *simh2.Stream) {
	s.watches = slices.DeleteFunc(s.watches, func(w *watch) bool { return w.stream == stream })
}

// Message handles a request.
func (s *session) Message(stream *simh2.Stream, b []byte, t *sim.Task) {
	switch s.methods[stream] {
	case "/etcdserverpb.KV/Range":
		unary(stream, b, t, s.get)
	case "/etcdserverpb.KV/Put":
		unary(stream, b, t, s.put)
	case "/etcdserverpb.KV/DeleteRange":
		unary(stream, b, t, s.remove)
	case "/etcdserverpb.KV/Txn":
		unary(stream, b, t, s.txn)
	case "/etcdserverpb.Lease/LeaseGrant":
		unary(stream, b, t, s.grant)
	case "/etcdserverpb.Lease/LeaseRevoke":
		unary(stream, b, t, s.revoke)
	case etcdstore.KeepAliveMethod:
		r := new(pb.LeaseKeepAliveRequest)
		decode(b, r)
		stream.Send(encode(s.keepAlive(r)), t)
	case "/etcdserverpb.Watch/Watch":
		r := new(pb.WatchRequest)
		decode(b, r)
		s.watch(stream, r, t)
	default:
		stream.End(int(codes.Unimplemented), "unknown method "+s.methods[stream], t)
	}
}

// unary answers a request.
func unary[Q, A any](stream *simh2.Stream, b []byte, t *sim.Task, answer func(*Q) (*A, error)) {
	q := new(Q)
	decode(b, q)
	a, err := answer(q)
	if err != nil {
		stream.End(int(codes.NotFound), err.Error(), t)
		return
	}
	stream.Send(encode(a), t)
	stream.End(0, "", t)
}

var codec = encoding.GetCodecV2("proto")

func encode(message any) []byte {
	b, err := codec.Marshal(message)
	must(err)
	return b.Materialize()
}

func decode(b []byte, message any) {
	must(codec.Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)}, message))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (s *store) header() *pb.ResponseHeader { return &pb.ResponseHeader{Revision: s.rev} }

// within reports whether a key is in a range as requests name it.
func within(key, from, end string) bool {
	switch end {
	case "":
		return key == from
	case "\x00":
		return key >= from
	}
	return from <= key && key < end
}

func (s *store) get(q *pb.RangeRequest) (*pb.RangeResponse, error) {
	a := &pb.RangeResponse{Header: s.header()}
	for _, key := range slices.Sorted(maps.Keys(s.keys)) {
		kv := s.keys[key]
		if within(key, string(q.Key), string(q.RangeEnd)) && (q.MaxCreateRevision == 0 || kv.CreateRevision <= q.MaxCreateRevision) {
			a.Kvs = append(a.Kvs, kv)
		}
	}
	if q.SortTarget == pb.RangeRequest_CREATE {
		slices.SortStableFunc(a.Kvs, func(x, y *mvccpb.KeyValue) int {
			order := cmp.Compare(x.CreateRevision, y.CreateRevision)
			if q.SortOrder == pb.RangeRequest_DESCEND {
				return -order
			}
			return order
		})
	}
	a.Count = int64(len(a.Kvs))
	if q.Limit > 0 && q.Limit < a.Count {
		a.Kvs = a.Kvs[:q.Limit]
	}
	return a, nil
}

func (s *store) put(q *pb.PutRequest) (*pb.PutResponse, error) {
	if q.Lease != 0 && s.leases[q.Lease] == nil {
		return nil, fmt.Errorf("etcdserver: requested lease not found")
	}
	s.rev++
	kv := &mvccpb.KeyValue{Key: q.Key, Value: q.Value, Lease: q.Lease, CreateRevision: s.rev, ModRevision: s.rev, Version: 1}
	if old := s.keys[string(q.Key)]; old != nil {
		kv.CreateRevision, kv.Version = old.CreateRevision, old.Version+1
	}
	s.keys[string(q.Key)] = kv
	s.tell(&mvccpb.Event{Type: mvccpb.PUT, Kv: kv})
	return &pb.PutResponse{Header: s.header()}, nil
}

func (s *store) remove(q *pb.DeleteRangeRequest) (*pb.DeleteRangeResponse, error) {
	deleted := s.drop(func(kv *mvccpb.KeyValue) bool { return within(string(kv.Key), string(q.Key), string(q.RangeEnd)) })
	return &pb.DeleteRangeResponse{Header: s.header(), Deleted: deleted}, nil
}

// drop removes keys.
func (s *store) drop(which func(*mvccpb.KeyValue) bool) (n int64) {
	for _, key := range slices.Sorted(maps.Keys(s.keys)) {
		if !which(s.keys[key]) {
			continue
		}
		if n++; n == 1 {
			s.rev++
		}
		delete(s.keys, key)
		s.tell(&mvccpb.Event{Type: mvccpb.DELETE, Kv: &mvccpb.KeyValue{Key: []byte(key), ModRevision: s.rev}})
	}
	return n
}

func (s *store) txn(q *pb.TxnRequest) (*pb.TxnResponse, error) {
	a := &pb.TxnResponse{Succeeded: true}
	for _, c := range q.Compare {
		a.Succeeded = a.Succeeded && s.holds(c)
	}
	ops := q.Success
	if !a.Succeeded {
		ops = q.Failure
	}
	for _, op := range ops {
		r := new(pb.ResponseOp)
		var err error
		switch {
		case op.GetRequestRange() != nil:
			var got *pb.RangeResponse
			got, err = s.get(op.GetRequestRange())
			r.Response = &pb.ResponseOp_ResponseRange{ResponseRange: got}
		case op.GetRequestPut() != nil:
			var put *pb.PutResponse
			put, err = s.put(op.GetRequestPut())
			r.Response = &pb.ResponseOp_ResponsePut{ResponsePut: put}
		case op.GetRequestDeleteRange() != nil:
			var gone *pb.DeleteRangeResponse
			gone, err = s.remove(op.GetRequestDeleteRange())
			r.Response = &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: gone}
		}
		if err != nil {
			return nil, err
		}
		a.Responses = append(a.Responses, r)
	}
	a.Header = s.header()
	return a, nil
}

// holds evaluates a comparison with the create revision, the only one that locks make.
func (s *store) holds(c *pb.Compare) bool {
	var have int64
	if kv := s.keys[string(c.Key)]; kv != nil {
		have = kv.CreateRevision
	}
	order := cmp.Compare(have, c.GetCreateRevision())
	switch c.Result {
	case pb.Compare_EQUAL:
		return order == 0
	case pb.Compare_GREATER:
		return order > 0
	case pb.Compare_LESS:
		return order < 0
	}
	return order != 0
}

func (s *store) grant(q *pb.LeaseGrantRequest) (*pb.LeaseGrantResponse, error) {
	s.granted++
	l := &lease{id: 0x100 + s.granted, ttl: q.TTL}
	s.leases[l.id] = l
	s.extend(l)
	return &pb.LeaseGrantResponse{Header: s.header(), ID: l.id, TTL: l.ttl}, nil
}

// extend lets a lease run from now on.
func (s *store) extend(l *lease) {
	if l.cancel != nil {
		l.cancel()
	}
	due := s.world.Now() + time.Duration(l.ttl)*time.Second
	l.cancel = s.world.At(s.members[0].actor, due, sim.EventWork, sim.EventOptions{}, func() { s.end(l.id) })
}

// end ends a lease and removes its keys.
func (s *store) end(id int64) {
	delete(s.leases, id)
	s.drop(func(kv *mvccpb.KeyValue) bool { return kv.Lease == id })
}

func (s *store) revoke(q *pb.LeaseRevokeRequest) (*pb.LeaseRevokeResponse, error) {
	l := s.leases[q.ID]
	if l == nil {
		return nil, fmt.Errorf("etcdserver: requested lease not found")
	}
	l.cancel()
	s.end(q.ID)
	return &pb.LeaseRevokeResponse{Header: s.header()}, nil
}

func (s *store) keepAlive(q *pb.LeaseKeepAliveRequest) *pb.LeaseKeepAliveResponse {
	a := &pb.LeaseKeepAliveResponse{Header: s.header(), ID: q.ID}
	if l := s.leases[q.ID]; l != nil {
		s.extend(l)
		a.TTL = l.ttl
	}
	return a
}

// watch creates or cancels a watcher. One that begins in the past sees what is gone now.
func (s *session) watch(stream *simh2.Stream, q *pb.WatchRequest, t *sim.Task) {
	switch {
	case q.GetCreateRequest() != nil:
		c := q.GetCreateRequest()
		w := &watch{stream: stream, id: s.opened, key: string(c.Key), end: string(c.RangeEnd)}
		s.opened++
		s.watches = append(s.watches, w)
		stream.Send(encode(&pb.WatchResponse{Header: s.header(), WatchId: w.id, Created: true}), t)
		if s.keys[w.key] == nil && w.end == "" && c.StartRevision > 0 && c.StartRevision <= s.rev {
			w.send(s.header(), &mvccpb.Event{Type: mvccpb.DELETE, Kv: &mvccpb.KeyValue{Key: c.Key, ModRevision: s.rev}})
		}
	case q.GetCancelRequest() != nil:
		id := q.GetCancelRequest().WatchId
		s.watches = slices.DeleteFunc(s.watches, func(w *watch) bool { return w.stream == stream && w.id == id })
		stream.Send(encode(&pb.WatchResponse{Header: s.header(), WatchId: id, Canceled: true}), t)
	}
}

// tell tells the watchers of a key.
func (s *store) tell(e *mvccpb.Event) {
	for _, w := range s.watches {
		if within(string(e.Kv.Key), w.key, w.end) {
			w.send(s.header(), e)
		}
	}
}

func (w *watch) send(h *pb.ResponseHeader, e *mvccpb.Event) {
	w.stream.Send(encode(&pb.WatchResponse{Header: h, WatchId: w.id, Events: []*mvccpb.Event{e}}), nil)
}

// goAway asks a client to leave.
func (m *member) goAway(p *sim.Process) {
	m.store.world.Fault(m.actor, "away", 0)
	for _, c := range m.conns {
		if c.Client() == p {
			c.GoAway("the server stops")
		}
	}
}

// crash ends a member's connections, and restarts it after a while. The store survives.
func (m *member) crash(d time.Duration) {
	w := m.store.world
	w.Fault(m.actor, sim.FaultCrash, d)
	w.Network().Crash(m.actor)
	w.At(m.actor, w.Now()+d, sim.EventFault, sim.EventOptions{Vital: true}, func() {
		w.Fault(m.actor, "restart", 0)
		m.listen()
	})
}
