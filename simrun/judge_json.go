package simrun

import (
	"encoding/json"
	"io"

	"github.com/lockpick-dev/lockpick/internal/judging"
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
	// Of a violation: the broken rule, the event at which it is certain (0 if unknown), and the deciding operations.
	Rule     string     `json:"rule,omitempty"`
	Event    int64      `json:"event,omitempty"`
	Sentence string     `json:"sentence,omitempty"`
	Decides  []jsonCall `json:"decides,omitempty"`
	// Shortest is the shortest part that is already illegal.
	Shortest    []jsonCall       `json:"shortest,omitempty"`
	Annotations []jsonAnnotation `json:"annotations,omitempty"`
	// Doubt is why there is no verdict, and what would help.
	Doubt string `json:"doubt,omitempty"`
}

// jsonCall is an operation, with its place in the files and its stamps there.
type jsonCall struct {
	File           string     `json:"file,omitempty"`
	Line           int        `json:"line"`
	RecordedCall   int64      `json:"recorded_call"`
	RecordedReturn int64      `json:"recorded_return,omitempty"`
	RecordedUntil  int64      `json:"recorded_until,omitempty"`
	Text           string     `json:"text"`
	Operation      model.Call `json:"operation"`
}

type jsonAnnotation struct {
	On   string `json:"on,omitempty"`
	Text string `json:"text"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
	// RecordedFrom and RecordedTo are its stamps in the file, 0 if it has none.
	RecordedFrom int64 `json:"recorded_from,omitempty"`
	RecordedTo   int64 `json:"recorded_to,omitempty"`
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

// printJudgementJSON prints a line for each object that is not legal, and a last line for
// the whole history.
func printJudgementJSON(w io.Writer, j *judging.Judgement, picture string) {
	out := json.NewEncoder(w)
	for i := range j.Objects {
		if j.Objects[i].Status != model.Holds {
			_ = out.Encode(verdictJSON(j, &j.Objects[i])) // w remembers its errors
		}
	}
	_ = out.Encode(jsonJudgement{
		Type: "judgement", Result: resultOf(j), Model: describeSpec(j.Spec),
		Objects: len(j.Objects), Violated: j.Count(model.Violated), Undecided: j.Count(model.Undecided),
		Operations: len(j.History.Calls), Unknown: j.Unknown, Failed: j.History.Dropped,
		Clients: j.Clients, Shared: j.History.Shared, Picture: picture,
	})
}

func verdictJSON(j *judging.Judgement, v *judging.Object) jsonVerdict {
	line := jsonVerdict{
		Type: "verdict", Object: v.Name, Model: describeSpec(j.Spec), Status: v.Status, By: "monitor",
		Operations: len(v.Calls), Doubt: v.Doubt,
	}
	if v.Searched {
		line.By = "porcupine"
	}
	if v.Violation == nil {
		return line
	}
	line.Rule, line.Event, line.Sentence = string(v.Violation.Rule), v.Violation.At, v.Violation.Sentence
	for _, id := range v.Violation.Calls {
		line.Decides = append(line.Decides, callJSON(j, j.Call(id)))
	}
	for i := range v.Shortest {
		line.Shortest = append(line.Shortest, callJSON(j, &v.Shortest[i]))
	}
	for _, a := range j.Annotations(v.Shortest) {
		line.Annotations = append(line.Annotations, jsonAnnotation{a.On, a.Text, a.From, a.To, a.Began, a.Ended})
	}
	return line
}

func callJSON(j *judging.Judgement, c *model.Call) jsonCall {
	o := j.Origin(c)
	return jsonCall{File: o.File, Line: o.Line, RecordedCall: o.Call, RecordedReturn: o.Return, RecordedUntil: o.Until, Text: j.Describe(c), Operation: *c}
}
