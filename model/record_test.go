package model_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestRecords: what each authority and each replica has, in the order of the keys.
func TestRecords(t *testing.T) {
	var records model.Records
	see := func(kind model.ObservationKind, node, authority, key, value string) *model.Observation {
		o := &model.Observation{Kind: kind, Node: node, Authority: authority, Key: key, Value: value}
		if told := kind != model.Promoted; records.See(o) != told {
			t.Errorf("%s tells of a record: %t", kind, !told)
		}
		return o
	}
	check := func(place, want string) {
		t.Helper()
		got := ""
		for _, r := range records.At(place) {
			got += r.Key + "=" + r.Value.Text + " "
		}
		if got != want {
			t.Errorf("%s has %q, want %q", place, got, want)
		}
	}
	see(model.RecordCreated, "zk1", "zk", "b", "1")
	see(model.RecordCreated, "zk2", "zk", "a", "2") // of the same ensemble, by another leader
	see(model.RecordCreated, "zk3", "", "b", "1")
	last := see(model.RecordChanged, "zk2", "zk", "b", "3")
	see(model.Promoted, "zk3", "zk", "", "")
	check("zk", "a=2 b=3 ")
	check("zk3", "b=1 ")
	check("zk1", "")
	if records.Last("zk", "b") != last || records.Last("zk", "c") != nil || records.Last("zk2", "b") != nil {
		t.Error("not told by the last observation of the record")
	}
	for i, kind := range []model.ObservationKind{model.RecordExpired, model.RecordDeleted, model.RecordDropped} {
		key := fmt.Sprint("k", i)
		see(model.RecordCreated, "zk1", "zk", key, "")
		see(kind, "zk1", "zk", key, "")
		see(kind, "zk1", "zk", "unknown", "")
		check("zk", "a=2 b=3 ")
	}
	check("zk3", "b=1 ")
}

// TestRecordOfObservation: nothing of a record is lost.
func TestRecordOfObservation(t *testing.T) {
	o := model.Observation{
		Kind: model.RecordCreated, Node: "r1", Key: "k", Type: "hash", Items: []string{"a", "1"}, Session: "s", Revision: 7,
		ExpiresAt: time.Second, Owner: model.Origin{Client: "c1", Conn: 2, Op: 3}, By: model.Origin{Client: "c2"},
	}
	want := model.Record{
		Key: "k", Value: model.Stored{Type: "hash", Items: []string{"a", "1"}}, Session: "s", Revision: 7,
		ExpiresAt: time.Second, Owner: model.Origin{Client: "c1", Conn: 2, Op: 3},
	}
	if got := o.Record(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for i, field := 0, reflect.ValueOf(want); i < field.NumField(); i++ {
		if field.Field(i).IsZero() {
			t.Errorf("%s is not tested", field.Type().Field(i).Name)
		}
	}
}
