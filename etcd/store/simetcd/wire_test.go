package simetcd

import (
	"encoding/hex"
	"maps"
	"reflect"
	"slices"
	"testing"
)

// TestRequestBytes reads requests as etcd's own package encodes them.
func TestRequestBytes(t *testing.T) {
	for _, test := range []struct {
		bytes     string
		got, want decodable
	}{
		{
			"0a0910011a036c2f312800121212100a036c2f3118f9ffffffffffffffff0112100a0e0a026c2f12026c301801280130021a071a050a036c2f31",
			&txnRequest{},
			&txnRequest{
				compares: []compare{{key: "l/1", target: targetCreate, given: targetCreate}},
				success: []op{
					{put: &putRequest{key: "l/1", lease: -7}},
					{get: &rangeRequest{key: "l/", end: "l0", limit: 1, order: ascending, target: byCreate}},
				},
				failure: []op{{remove: &deleteRequest{key: "l/1"}}},
			},
		},
		{
			"0a0e0a016118ac022a02000130013804",
			&watchRequest{},
			&watchRequest{create: &watchCreate{key: "a", start: 300, noPut: true, noDelete: true, prevKV: true, id: 4}},
		},
		{"1d000000000a0161", &deleteRequest{}, &deleteRequest{key: "a"}},             // with an unknown field of 32 bits
		{"e20501780a0161", &deleteRequest{}, &deleteRequest{key: "a"}},               // with an unknown field of bytes
		{"19000000000000000010010a0161", &deleteRequest{}, &deleteRequest{key: "a"}}, // with known fields of other types
	} {
		b, _ := hex.DecodeString(test.bytes)
		if ok := unmarshal(string(b), test.got); !ok || !reflect.DeepEqual(test.got, test.want) {
			t.Errorf("%s: %v %+v, want %+v", test.bytes, ok, test.got, test.want)
		}
		if unmarshal(string(b[:len(b)-1]), test.got) {
			t.Errorf("%s without its last byte is no error", test.bytes)
		}
	}
}

// TestResponseBytes compares responses with the bytes of etcd's own package.
func TestResponseBytes(t *testing.T) {
	for _, test := range []struct {
		message encodable
		want    string
	}{
		{
			&txnResponse{header: header{1, 2, 300, 4}, succeeded: true, responses: []response{
				&putResponse{header: header{revision: 300}},
				&rangeResponse{header: header{revision: 300}, more: true, count: 2, kvs: []*keyValue{{key: "k", value: "v", create: 3, mod: 300, version: 2, lease: -1}}},
			}},
			"0a090801100218ac02200410011a0712050a0318ac021a250a230a0318ac0212180a016b100318ac0220022a017630ffffffffffffffffff0118012002",
		},
		{
			&watchResponse{header: header{revision: 9}, id: -1, created: true, canceled: true, compacted: 5, reason: "why", events: []event{
				{kv: &keyValue{key: "k", mod: 9}, prev: &keyValue{key: "k", create: 8, mod: 8, version: 1}},
			}},
			"0a02180910ffffffffffffffffff0118012001280532037768795a14080112050a016b18091a090a016b100818082001",
		},
		{&timeToLiveResponse{id: 7, ttl: -1, granted: 5, keys: []string{"a", ""}}, "0a00100718ffffffffffffffffff0120052a01612a00"},
		{&leasesResponse{ids: []int64{7}}, "0a0012020807"},
		{&memberListResponse{members: []member{{1 << 63, "n", "p", "c"}}}, "0a001214088080808080808080800112016e1a0170220163"},
		{
			&statusResponse{header: header{term: 2}, version: "3", leader: 4, index: 5, applied: 7, errors: []string{"e"}},
			"0a0220021201332004280530023807420165",
		},
	} {
		if got := hex.EncodeToString(marshal(test.message)); got != test.want {
			t.Errorf("%T: %s, want %s", test.message, got, test.want)
		}
	}
}

// FuzzMessage sends any bytes to any method, and has what is a request carried out.
func FuzzMessage(f *testing.F) {
	paths := slices.Sorted(maps.Keys(methods))
	f.Add(byte(0), []byte{10, 1, 'a', 18, 1, 0, 24, 5})
	f.Add(byte(5), []byte{18, 18, 18, 16, 10, 3, 'a', 'b', 'c', 24, 0, 26, 7, 26, 5, 10, 3, 'a', 'b', 'c'})
	f.Add(byte(slices.Index(paths, apis["txn"].grpc)), nested(5000, true))
	f.Fuzz(func(_ *testing.T, method byte, message []byte) {
		path := paths[int(method)%len(paths)]
		requestText(path, message)
		answerText(path, message)
		r := methods[path].request()
		if !unmarshal(string(message), r) {
			return
		}
		s := newState(2)
		if c, ok := r.(interface{ check() status }); ok && c.check() != (status{}) {
			return
		}
		if x, ok := r.(operation); ok {
			_, _ = x.apply(s)
			_, _ = x.apply(s)
		}
		if get, ok := r.(*rangeRequest); ok {
			_, _ = s.read(get, s.revision)
		}
	})
}
