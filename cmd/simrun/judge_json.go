package main

import (
	"encoding/json"
	"io"

	"github.com/lockpick-dev/lockpick/model"
)

// jsonVerdict is the verdict on one object. Fields are only ever added.
type jsonVerdict struct {
	Type   string       `json:"type"`
	Object string       `json:"object"`
	Model  string       `json:"model"`
	Status model.Status `json:"status"`
	// By is "monitor" or "porcupine".
	By         string `json:"by"`
	Operations int    `json:"operations"`
	// Of a violation: which rule it breaks, by which event it is certain (0 if
	// that is not known), and the operations that decide it.
	Rule     string     `json:"rule,omitempty"`
	Event    int64      `json:"event,omitempty"`
	Sentence string     `json:"sentence,omitempty"`
	Decides  []jsonCall `json:"decides,omitempty"`
	// Shortest is the shortest part that is already illegal.
	Shortest    []jsonCall       `json:"shortest,omitempty"`
	Annotations []jsonAnnotation `json:"annotations,omitempty"`
	// Doubt says why nothing is known, and what would settle it.
	Doubt string `json:"doubt,omitempty"`
}

// jsonCall is an operation, where it was found and what its stamps were there.
type jsonCall struct {
	File           string     `json:"file,omitempty"`
	Line           int        `json:"line"`
	RecordedCall   int64      `json:"recorded_call"`
	RecordedReturn int64      `json:"recorded_return,omitempty"`
	Text           string     `json:"text"`
	Operation      model.Call `json:"operation"`
}

type jsonAnnotation struct {
	On   string `json:"on,omitempty"`
	Text string `json:"text"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

// jsonJudgement is the last line.
type jsonJudgement struct {
	Type       string `json:"type"`
	Result     string `json:"result"`
	Model      string `json:"model"`
	Objects    int    `json:"objects"`
	Violated   int    `json:"violated"`
	Undecided  int    `json:"undecided"`
	Operations int    `json:"operations"`
	Unknown    int    `json:"unknown"`
	Failed     int    `json:"failed"`
	Clients    int    `json:"clients"`
	Shared     int    `json:"shared"`
	Picture    string `json:"picture,omitempty"`
}

// printJudgementJSON tells programs: a line for each object with which something
// is wrong, and one for the whole.
func printJudgementJSON(w io.Writer, j *judgement, picture string) {
	out := json.NewEncoder(w)
	for i := range j.objects {
		if j.objects[i].Status != model.Holds {
			_ = out.Encode(j.verdictJSON(&j.objects[i])) // w remembers its errors
		}
	}
	_ = out.Encode(jsonJudgement{
		Type: "judgement", Result: j.result(), Model: describeSpec(j.spec),
		Objects: len(j.objects), Violated: j.of(model.Violated), Undecided: j.of(model.Undecided),
		Operations: len(j.history.Calls), Unknown: j.unknown, Failed: j.history.Dropped,
		Clients: j.clients, Shared: j.history.Shared, Picture: picture,
	})
}

func (j *judgement) verdictJSON(v *objectVerdict) jsonVerdict {
	line := jsonVerdict{
		Type: "verdict", Object: v.object, Model: describeSpec(j.spec), Status: v.Status, By: "monitor",
		Operations: len(v.calls), Doubt: v.Doubt,
	}
	if v.Searched {
		line.By = "porcupine"
	}
	if v.Violation == nil {
		return line
	}
	line.Rule, line.Event, line.Sentence = string(v.Violation.Rule), v.Violation.At, v.Violation.Sentence
	for _, id := range v.Violation.Calls {
		line.Decides = append(line.Decides, j.callJSON(j.call(id)))
	}
	for i := range v.shortest {
		line.Shortest = append(line.Shortest, j.callJSON(&v.shortest[i]))
	}
	for _, a := range j.annotations(v.shortest) {
		line.Annotations = append(line.Annotations, jsonAnnotation{a.On, a.Text, a.From, a.To})
	}
	return line
}

func (j *judgement) callJSON(c *model.Call) jsonCall {
	o := j.origin(c)
	return jsonCall{File: o.File, Line: o.Line, RecordedCall: o.Call, RecordedReturn: o.Return, Text: describeCall(c), Operation: *c}
}
