package simetcd

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// object is a message as JSON has it: 64-bit numbers are strings of digits, bytes are in base
// 64, enumerations have names, and what has its default value is left out.
type object = map[string]any

// schema says what fields a message has, by their numbers: those of rpc.proto.
type schema map[int]field

type field struct {
	name     string
	kind     byte // b bytes, s string, i int64, u uint64, ? bool, e enumeration, m message
	repeated bool
	names    []string // of an enumeration
	message  *schema
}

var (
	headerSchema = &schema{1: {name: "cluster_id", kind: 'u'}, 2: {name: "member_id", kind: 'u'}, 3: {name: "revision", kind: 'i'}, 4: {name: "raft_term", kind: 'u'}}
	inHeader     = field{name: "header", kind: 'm', message: headerSchema}

	kvSchema = &schema{
		1: {name: "key", kind: 'b'}, 2: {name: "create_revision", kind: 'i'}, 3: {name: "mod_revision", kind: 'i'},
		4: {name: "version", kind: 'i'}, 5: {name: "value", kind: 'b'}, 6: {name: "lease", kind: 'i'},
	}
	rangeSchema = &schema{
		1: {name: "key", kind: 'b'}, 2: {name: "range_end", kind: 'b'}, 3: {name: "limit", kind: 'i'}, 4: {name: "revision", kind: 'i'},
		5: {name: "sort_order", kind: 'e', names: []string{"NONE", "ASCEND", "DESCEND"}},
		6: {name: "sort_target", kind: 'e', names: []string{"KEY", "VERSION", "CREATE", "MOD", "VALUE"}},
		7: {name: "serializable", kind: '?'}, 8: {name: "keys_only", kind: '?'}, 9: {name: "count_only", kind: '?'},
		10: {name: "min_mod_revision", kind: 'i'}, 11: {name: "max_mod_revision", kind: 'i'},
		12: {name: "min_create_revision", kind: 'i'}, 13: {name: "max_create_revision", kind: 'i'},
	}
	rangeAnswer = &schema{1: inHeader, 2: {name: "kvs", kind: 'm', repeated: true, message: kvSchema}, 3: {name: "more", kind: '?'}, 4: {name: "count", kind: 'i'}}
	putSchema   = &schema{
		1: {name: "key", kind: 'b'}, 2: {name: "value", kind: 'b'}, 3: {name: "lease", kind: 'i'},
		4: {name: "prev_kv", kind: '?'}, 5: {name: "ignore_value", kind: '?'}, 6: {name: "ignore_lease", kind: '?'},
	}
	putAnswer     = &schema{1: inHeader, 2: {name: "prev_kv", kind: 'm', message: kvSchema}}
	deleteSchema  = &schema{1: {name: "key", kind: 'b'}, 2: {name: "range_end", kind: 'b'}, 3: {name: "prev_kv", kind: '?'}}
	deleteAnswer  = &schema{1: inHeader, 2: {name: "deleted", kind: 'i'}, 3: {name: "prev_kvs", kind: 'm', repeated: true, message: kvSchema}}
	compareSchema = &schema{
		1: {name: "result", kind: 'e', names: []string{"EQUAL", "GREATER", "LESS", "NOT_EQUAL"}},
		2: {name: "target", kind: 'e', names: []string{"VERSION", "CREATE", "MOD", "VALUE", "LEASE"}},
		3: {name: "key", kind: 'b'}, 4: {name: "version", kind: 'i'}, 5: {name: "create_revision", kind: 'i'},
		6: {name: "mod_revision", kind: 'i'}, 7: {name: "value", kind: 'b'}, 8: {name: "lease", kind: 'i'}, 64: {name: "range_end", kind: 'b'},
	}
	opSchema = &schema{
		1: {name: "request_range", kind: 'm', message: rangeSchema}, 2: {name: "request_put", kind: 'm', message: putSchema},
		3: {name: "request_delete_range", kind: 'm', message: deleteSchema},
	}
	opAnswer = &schema{
		1: {name: "response_range", kind: 'm', message: rangeAnswer}, 2: {name: "response_put", kind: 'm', message: putAnswer},
		3: {name: "response_delete_range", kind: 'm', message: deleteAnswer},
	}
	txnSchema = &schema{
		1: {name: "compare", kind: 'm', repeated: true, message: compareSchema},
		2: {name: "success", kind: 'm', repeated: true, message: opSchema}, 3: {name: "failure", kind: 'm', repeated: true, message: opSchema},
	}
	txnAnswer = &schema{1: inHeader, 2: {name: "succeeded", kind: '?'}, 3: {name: "responses", kind: 'm', repeated: true, message: opAnswer}}

	emptySchema  = &schema{}
	headerAnswer = &schema{1: inHeader}
	idSchema     = &schema{1: {name: "ID", kind: 'i'}}
	leaseAnswer  = &schema{1: inHeader, 2: {name: "ID", kind: 'i'}, 3: {name: "TTL", kind: 'i'}}
	ttlAnswer    = &schema{1: inHeader, 2: {name: "ID", kind: 'i'}, 3: {name: "TTL", kind: 'i'}, 4: {name: "grantedTTL", kind: 'i'}, 5: {name: "keys", kind: 'b', repeated: true}}

	watchSchema = &schema{1: {name: "create_request", kind: 'm', message: createSchema}, 2: {name: "cancel_request", kind: 'm', message: &schema{1: {name: "watch_id", kind: 'i'}}}, 3: {name: "progress_request", kind: 'm', message: emptySchema}}

	createSchema = &schema{
		1: {name: "key", kind: 'b'}, 2: {name: "range_end", kind: 'b'}, 3: {name: "start_revision", kind: 'i'},
		5: {name: "filters", kind: 'e', repeated: true, names: []string{"NOPUT", "NODELETE"}}, 6: {name: "prev_kv", kind: '?'}, 7: {name: "watch_id", kind: 'i'},
	}
	eventSchema = &schema{
		1: {name: "type", kind: 'e', names: []string{"PUT", "DELETE"}}, 2: {name: "kv", kind: 'm', message: kvSchema}, 3: {name: "prev_kv", kind: 'm', message: kvSchema},
	}
	watchAnswer = &schema{
		1: inHeader, 2: {name: "watch_id", kind: 'i'}, 3: {name: "created", kind: '?'}, 4: {name: "canceled", kind: '?'},
		5: {name: "compact_revision", kind: 'i'}, 6: {name: "cancel_reason", kind: 's'}, 11: {name: "events", kind: 'm', repeated: true, message: eventSchema},
	}
	memberSchema  = &schema{1: {name: "ID", kind: 'u'}, 2: {name: "name", kind: 's'}, 3: {name: "peerURLs", kind: 's', repeated: true}, 4: {name: "clientURLs", kind: 's', repeated: true}}
	membersAnswer = &schema{1: inHeader, 2: {name: "members", kind: 'm', repeated: true, message: memberSchema}}
	statusAnswer  = &schema{
		1: inHeader, 2: {name: "version", kind: 's'}, 4: {name: "leader", kind: 'u'}, 5: {name: "raftIndex", kind: 'u'},
		6: {name: "raftTerm", kind: 'u'}, 7: {name: "raftAppliedIndex", kind: 'u'}, 8: {name: "errors", kind: 's', repeated: true},
	}
)

// init completes the messages that contain themselves.
func init() {
	(*opSchema)[4] = field{name: "request_txn", kind: 'm', message: txnSchema}
	(*opAnswer)[4] = field{name: "response_txn", kind: 'm', message: txnAnswer}
}

// api is a method: where it is in gRPC and in the JSON gateway, and its messages.
type api struct {
	grpc, gateway string
	ask, answer   *schema
}

var apis = map[string]api{
	"range":        {"/etcdserverpb.KV/Range", "/v3/kv/range", rangeSchema, rangeAnswer},
	"put":          {"/etcdserverpb.KV/Put", "/v3/kv/put", putSchema, putAnswer},
	"delete":       {"/etcdserverpb.KV/DeleteRange", "/v3/kv/deleterange", deleteSchema, deleteAnswer},
	"txn":          {"/etcdserverpb.KV/Txn", "/v3/kv/txn", txnSchema, txnAnswer},
	"compact":      {"/etcdserverpb.KV/Compact", "/v3/kv/compaction", &schema{1: {name: "revision", kind: 'i'}, 2: {name: "physical", kind: '?'}}, headerAnswer},
	"grant":        {"/etcdserverpb.Lease/LeaseGrant", "/v3/lease/grant", &schema{1: {name: "TTL", kind: 'i'}, 2: {name: "ID", kind: 'i'}}, leaseAnswer},
	"revoke":       {"/etcdserverpb.Lease/LeaseRevoke", "/v3/lease/revoke", idSchema, headerAnswer},
	"keepalive":    {"/etcdserverpb.Lease/LeaseKeepAlive", "/v3/lease/keepalive", idSchema, leaseAnswer},
	"timetolive":   {"/etcdserverpb.Lease/LeaseTimeToLive", "/v3/lease/timetolive", &schema{1: {name: "ID", kind: 'i'}, 2: {name: "keys", kind: '?'}}, ttlAnswer},
	"leases":       {"/etcdserverpb.Lease/LeaseLeases", "/v3/lease/leases", emptySchema, &schema{1: inHeader, 2: {name: "leases", kind: 'm', repeated: true, message: idSchema}}},
	"watch":        {"/etcdserverpb.Watch/Watch", "/v3/watch", watchSchema, watchAnswer},
	"members":      {"/etcdserverpb.Cluster/MemberList", "/v3/cluster/member/list", &schema{1: {name: "linearizable", kind: '?'}}, membersAnswer},
	"status":       {"/etcdserverpb.Maintenance/Status", "/v3/maintenance/status", emptySchema, statusAnswer},
	"authenticate": {"/etcdserverpb.Auth/Authenticate", "/v3/auth/authenticate", &schema{1: {name: "name", kind: 's'}, 2: {name: "password", kind: 's'}}, headerAnswer},
}

// encode is a message in protobuf's encoding.
func (s *schema) encode(m object) (out []byte) {
	known := 0
	for _, number := range slices.Sorted(maps.Keys(*s)) {
		f := (*s)[number]
		v, set := m[f.name]
		if !set {
			continue
		}
		known++
		list := []any{v}
		if f.repeated {
			list = v.([]any)
		}
		for _, one := range list {
			out = f.append(out, number, one)
		}
	}
	if known != len(m) {
		panic(fmt.Sprintf("unknown fields in %v", m))
	}
	return out
}

func (f field) append(out []byte, number int, v any) []byte {
	varint := func(n uint64) []byte {
		return binary.AppendUvarint(binary.AppendUvarint(out, uint64(number)<<3), n)
	}
	data := func(b []byte) []byte {
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(number)<<3|2), uint64(len(b)))
		return append(out, b...)
	}
	switch f.kind {
	case 'i':
		n, err := strconv.ParseInt(v.(string), 10, 64)
		if err != nil {
			panic(err)
		}
		return varint(uint64(n))
	case 'u':
		n, err := strconv.ParseUint(v.(string), 10, 64)
		if err != nil {
			panic(err)
		}
		return varint(n)
	case '?':
		return varint(map[bool]uint64{true: 1}[v.(bool)])
	case 'e':
		return varint(uint64(slices.Index(f.names, v.(string))))
	case 'b':
		return data(bytesOf(v.(string)))
	case 's':
		return data([]byte(v.(string)))
	case 'm':
		return data(f.message.encode(v.(object)))
	}
	panic("cannot encode " + f.name)
}

// decode reads a message in protobuf's encoding.
func (s *schema) decode(b []byte) object {
	m := object{}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		b = b[n:]
		f, known := (*s)[int(tag>>3)]
		if !known {
			panic(fmt.Sprintf("unknown field %d beside %v", tag>>3, m))
		}
		number, n := binary.Uvarint(b)
		b = b[n:]
		var data []byte
		if tag&7 == 2 {
			data, b = b[:number], b[number:]
		}
		v := f.value(number, data)
		if f.repeated {
			list, _ := m[f.name].([]any)
			m[f.name] = append(list, v)
			continue
		}
		m[f.name] = v
	}
	return m
}

func (f field) value(number uint64, data []byte) any {
	switch f.kind {
	case 'i':
		return strconv.FormatInt(int64(number), 10)
	case 'u':
		return strconv.FormatUint(number, 10)
	case '?':
		return number != 0
	case 'e':
		return f.names[number]
	case 'b':
		return base64.StdEncoding.EncodeToString(data)
	case 's':
		return string(data)
	}
	return f.message.decode(data)
}

// bytesOf are bytes that stand in JSON.
func bytesOf(text string) []byte {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}
