package simetcd

import "testing"

func TestRequestText(t *testing.T) {
	for _, test := range []struct {
		name    string
		request object
		want    string
	}{
		{"range", object{"key": text("a")}, "get a"},
		{"range", object{"key": text("l/"), "range_end": text("l0"), "limit": "1", "max_create_revision": "7"}, "get l/* (limit 1, created up to 7)"},
		{"range", object{"key": text("a"), "range_end": text("\x00"), "serializable": true}, "get a… (serializable)"},
		{"put", object{"key": text("a"), "value": text("1"), "lease": "31"}, "put a = 1 (lease 1f)"},
		{"delete", object{"key": text("a"), "range_end": text("c")}, "delete a…c"},
		{"txn", object{
			"compare": []any{object{"target": "CREATE", "key": text("l/1f"), "create_revision": "0"}},
			"success": []any{object{"request_put": object{"key": text("l/1f"), "lease": "31"}}},
			"failure": []any{object{"request_range": object{"key": text("l/1f")}}},
		}, "txn: if create(l/1f) = 0 then put l/1f (lease 1f) else get l/1f"},
		{"txn", object{}, "txn: nothing"},
		{"compact", object{"revision": "7"}, "compact up to 7"},
		{"grant", object{"TTL": "10"}, "grant a lease of 10 s"},
		{"revoke", object{"ID": "31"}, "revoke lease 1f"},
		{"keepalive", object{"ID": "31"}, "keep lease 1f alive"},
		{"timetolive", object{"ID": "31"}, "time to live of lease 1f"},
		{"leases", object{}, "LeaseLeases"},
		{"watch", object{"create_request": object{"key": text("l/1f"), "start_revision": "7"}}, "watch l/1f from revision 7"},
		{"watch", object{"cancel_request": object{"watch_id": "3"}}, "cancel watch 3"},
		{"watch", object{"progress_request": object{}}, "watch progress"},
	} {
		if got := requestText(apis[test.name].grpc, apis[test.name].ask.encode(test.request)); got != test.want {
			t.Errorf("%s %v: %q, want %q", test.name, test.request, got, test.want)
		}
	}
	if got := requestText(apis["put"].grpc, []byte{10}); got != "(malformed)" {
		t.Errorf("half a message: %q", got)
	}
	if got := requestText("/v3lockpb.Lock/Lock", nil); got != "/v3lockpb.Lock/Lock" {
		t.Errorf("unknown method: %q", got)
	}
}

func TestAnswerText(t *testing.T) {
	h := header{revision: 7}
	for _, test := range []struct {
		name   string
		answer encodable
		want   string
	}{
		{"txn", &txnResponse{header: h, succeeded: true}, "succeeded, revision 7"},
		{"txn", &txnResponse{header: h}, "did not succeed, revision 7"},
		{"range", &rangeResponse{header: h, count: 1}, "1 key, revision 7"},
		{"delete", &deleteResponse{header: h, deleted: 2}, "2 deleted, revision 7"},
		{"put", &putResponse{header: h}, "revision 7"},
		{"grant", &leaseResponse{header: h, id: 31, ttl: 10}, "lease 1f, 10 s, revision 7"},
		{"watch", &watchResponse{header: h, id: 2, created: true}, "watch 2 begun, revision 7"},
		{"watch", &watchResponse{header: h, id: 2, canceled: true}, "watch 2 ended, revision 7"},
		{"watch", &watchResponse{header: h, id: -1}, "progress, revision 7"},
		{"watch", &watchResponse{header: h, events: []event{{kv: &keyValue{key: "a", mod: 7}}, {kv: &keyValue{key: "b", create: 7}}}}, "deleted a, put b, revision 7"},
		{"", &txnResponse{header: h, succeeded: true}, "revision 7"},
	} {
		if got := answerText(apis[test.name].grpc, marshal(test.answer)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestRangeText: an answer with keys names the first of them, and one that only counts does not.
func TestRangeText(t *testing.T) {
	const header, a, b, count = "\x0a\x02\x18\x05", "\x12\x08\x0a\x06lock/a", "\x12\x08\x0a\x06lock/b", "\x20\x02"
	for message, want := range map[string]string{
		header + a + b + count:         "2 keys (lock/a, lock/b), revision 5",
		header + a + b + a + b + count: "2 keys (lock/a, lock/b, lock/a), revision 5",
		header + count:                 "2 keys, revision 5",
		header:                         "0 keys, revision 5",
		header + "\x12\x08\x0a\xff\xff\xff\xff\xff\x00\x00" + count: "2 keys, revision 5",
	} {
		if got := answerText("/etcdserverpb.KV/Range", []byte(message)); got != want {
			t.Errorf("%q is %q, want %q", message, got, want)
		}
	}
}
