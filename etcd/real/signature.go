package real

import (
	"path"
	"regexp"
	"slices"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

const (
	watchMethod     = "/etcdserverpb.Watch/Watch"
	grantMethod     = "/etcdserverpb.Lease/LeaseGrant"
	keepAliveMethod = "/etcdserverpb.Lease/LeaseKeepAlive"
	// givesUp and the name of a method are the signature of a client that gives up a call.
	givesUp = "give up "
)

// requested is the signature of a message of a client: the method and its keys. It is empty for what only serves a stream.
func requested(method string, message []byte) string {
	name := path.Base(method)
	switch method {
	case "/etcdserverpb.KV/Range":
		var r pb.RangeRequest
		if decode(message, &r) {
			return name + " " + keys(r.Key, r.RangeEnd)
		}
	case "/etcdserverpb.KV/Put":
		var r pb.PutRequest
		if decode(message, &r) {
			return name + " " + keys(r.Key, nil)
		}
	case "/etcdserverpb.KV/DeleteRange":
		var r pb.DeleteRangeRequest
		if decode(message, &r) {
			return name + " " + keys(r.Key, r.RangeEnd)
		}
	case "/etcdserverpb.KV/Txn":
		var r pb.TxnRequest
		if decode(message, &r) {
			return name + " " + transaction(&r)
		}
	case watchMethod:
		var r pb.WatchRequest
		if decode(message, &r) {
			if c := r.GetCreateRequest(); c != nil {
				return name + " " + keys(c.Key, c.RangeEnd)
			}
			return "" // it ends a watch, or asks for its progress
		}
	}
	return name
}

// transaction is what it compares, and what it does if that is so, and if not.
func transaction(r *pb.TxnRequest) string {
	var words []string
	for _, c := range r.Compare {
		words = append(words, "if "+strings.ToLower(c.Target.String())+" "+keys(c.Key, c.RangeEnd))
	}
	words = append(append(words, operations(r.Success)...), operations(r.Failure)...)
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ", ")
}

func operations(list []*pb.RequestOp) (words []string) {
	for _, o := range list {
		switch {
		case o.GetRequestRange() != nil:
			words = append(words, "get "+keys(o.GetRequestRange().Key, o.GetRequestRange().RangeEnd))
		case o.GetRequestPut() != nil:
			words = append(words, "put "+keys(o.GetRequestPut().Key, nil))
		case o.GetRequestDeleteRange() != nil:
			words = append(words, "delete "+keys(o.GetRequestDeleteRange().Key, o.GetRequestDeleteRange().RangeEnd))
		case o.GetRequestTxn() != nil:
			words = append(words, "("+transaction(o.GetRequestTxn())+")")
		}
	}
	return words
}

// events is the signature of a watch's message: which keys were put or deleted. It is empty if the message has no event.
func events(r *pb.WatchResponse) string {
	var words []string
	for _, e := range r.Events {
		words = append(words, map[mvccpb.Event_EventType]string{mvccpb.PUT: "put ", mvccpb.DELETE: "deleted "}[e.Type]+keys(e.Kv.Key, nil))
	}
	return strings.Join(words, ", ")
}

// numbers are parts of keys that differ from run to run: the numbers of leases, in hexadecimal digits, and times.
var numbers = regexp.MustCompile(`\b[0-9a-f]{8,}\b`)

// keys are a key, or those from one to another.
func keys(key, end []byte) string {
	text := string(key)
	if len(end) > 0 {
		text += "…" + string(end)
	}
	return numbers.ReplaceAllString(text, "*")
}
