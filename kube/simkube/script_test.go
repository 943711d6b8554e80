package simkube

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// drawScript draws a script.
func drawScript(rt *rapid.T) []command {
	return rapid.SliceOfN(rapid.Custom(drawCommand), 1, 30).Draw(rt, "script")
}

// pick draws one of the texts; the first is the simplest.
func pick(rt *rapid.T, label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(rt, label)
}

func drawCommand(rt *rapid.T) command {
	name := pick(rt, "name", names...)
	switch c := (command{method: pick(rt, "method", "POST", "PUT", "PUT", "PUT", "PATCH", "PATCH", "DELETE", "GET", "LIST", "WATCH"), name: name}); c.method {
	case "POST":
		c.name = ""
		c.body = drawLease(rt, name, false)
		return c
	case "PUT", "PATCH":
		c.body = drawLease(rt, name, c.method == "PATCH")
		return c
	case "DELETE":
		c.body = drawPreconditions(rt, name)
		c.query = pick(rt, "query", "", "", "propagationPolicy=Background")
		return c
	case "GET":
		c.query = pick(rt, "query", "", "", "resourceVersion=0", "resourceVersion=@version:"+name, "timeout=5s", "resourceVersion=x")
		return c
	default:
		return drawMany(rt, c)
	}
}

// drawMany draws a LIST or a WATCH.
func drawMany(rt *rapid.T, c command) command {
	version := pick(rt, "version", "", "resourceVersion=0", "resourceVersion=@version:"+c.name, "resourceVersion=@older:"+c.name)
	field := pick(rt, "field", "", "", "fieldSelector=metadata.name%3D"+c.name)
	c.name = ""
	if c.method == "LIST" {
		c.method = "GET"
		if version != "" && pick(rt, "match", "", "NotOlderThan") != "" {
			version += "&resourceVersionMatch=NotOlderThan"
		}
		if c.wide = rapid.Bool().Draw(rt, "wide"); c.wide {
			field = "fieldSelector=metadata.namespace%3D@namespace"
		}
	}
	c.query = strings.Trim(version+"&"+field, "&")
	return c
}

// drawLease draws the body of a request about the lease of a name.
func drawLease(rt *rapid.T, name string, patch bool) string {
	null := ""
	if patch {
		null = "null"
	}
	meta := []string{field("name", pick(rt, "body's name", quote(name), quote(name), quote(name), quote(name), quote(name), quote(name), "", `"other"`))}
	if patch {
		meta[0] = field("name", pick(rt, "body's name", "", "", "", "", quote(name), `"other"`, null))
	}
	current, stale := quote("@version:"+name), quote("@older:"+name)
	versions := []string{"", current, current, current, current, stale, `"0"`, `"x"`, `"1"`, null}
	if patch {
		versions = []string{"", "", "", current, stale, `"0"`, `"x"`, null}
	}
	meta = append(meta,
		field("resourceVersion", pick(rt, "version", versions...)),
		field("uid", pick(rt, "uid", "", "", "", "", quote("@uid:"+name), quote("@olduid:"+name), `"x"`, null)),
		field("namespace", pick(rt, "namespace", "", "", "", `"@namespace"`, `"elsewhere"`, null)),
		field("labels", pick(rt, "labels", "", "", "", `{"x":"y"}`, `{"x":"z","t":"u"}`, `{}`, null)),
		field("annotations", pick(rt, "annotations", "", "", "", `{"p":"q"}`, null)),
		field("creationTimestamp", pick(rt, "created", "", "", "", "", "null", `"2001-02-03T04:05:06Z"`)))
	spec := []string{
		field("holderIdentity", pick(rt, "holder", `"h1"`, `"h2"`, `""`, "", "null")),
		field("leaseDurationSeconds", pick(rt, "lasts", "", "15", "15", "20", "0", "-1", `"15"`, "1.5", null)),
		field("leaseTransitions", pick(rt, "transitions", "", "", "0", "3", "-2", null)),
		field("acquireTime", pick(rt, "acquired", "", "", `"2000-01-01T00:00:00.000000Z"`, null)),
		field("renewTime", pick(rt, "renewed", "", `"2000-01-01T00:00:01.000000Z"`, `"2000-01-01T01:00:00.000001+01:00"`, `"2000-01-01T00:00:00Z"`, `"soon"`, "5", null)),
		field("unknown", pick(rt, "unknown", "", "", "", "", "1")),
	}
	whole := []string{
		field("kind", pick(rt, "kind", "", "", "", "", `"Lease"`, `"Lease"`, `"Other"`)),
		field("apiVersion", pick(rt, "api", "", "", "", "", quote(apiVersion), quote(apiVersion), `"v1"`)),
		field("metadata", members(meta)),
		field("spec", pick(rt, "spec", members(spec), members(spec), members(spec), members(spec), members(spec), "", "null", "{}")),
	}
	return members(whole)
}

// drawPreconditions draws the body of a DELETE.
func drawPreconditions(rt *rapid.T, name string) string {
	if rapid.Bool().Draw(rt, "no body") {
		return ""
	}
	return members([]string{
		field("kind", pick(rt, "kind", "", `"DeleteOptions"`)),
		field("apiVersion", pick(rt, "api", "", `"v1"`)),
		field("preconditions", members([]string{
			field("uid", pick(rt, "uid", "", quote("@uid:"+name), quote("@olduid:"+name), `"x"`)),
			field("resourceVersion", pick(rt, "version", "", quote("@version:"+name), quote("@older:"+name), `"1"`)),
		})),
	})
}

func quote(text string) string { return `"` + text + `"` }

// field is a member of an object, or "" if it has no value.
func field(name, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf("%q:%s", name, value)
}

// members is an object with the members that are not empty.
func members(fields []string) string {
	var have []string
	for _, f := range fields {
		if f != "" {
			have = append(have, f)
		}
	}
	return "{" + strings.Join(have, ",") + "}"
}

// errorRequests are requests that are compared one by one.
var errorRequests = []command{
	{method: "POST", body: "{"},
	{method: "POST", body: "[]"},
	{method: "POST", body: "5"},
	{method: "POST", body: ""},
	{method: "POST", body: "{}"},
	{method: "POST", body: `{"metadata":5}`},
	{method: "POST", body: `{"spec":[]}`},
	{method: "POST", body: `{"metadata":{"name":"A"}}`},
	{method: "POST", body: `{"metadata":{"name":"-a"}}`},
	{method: "POST", body: `{"metadata":{"name":"a/b"}}`},
	{method: "POST", body: `{"metadata":{"name":"` + strings.Repeat("a", 254) + `"}}`},
	{method: "POST", body: `{"metadata":{"name":"A"},"spec":{"leaseDurationSeconds":0,"leaseTransitions":-1}}`},
	{method: "POST", body: `{"kind":"Other","apiVersion":"v1","metadata":{"name":"a"}}`},
	{method: "POST", body: `{"kind":"Lease","apiVersion":"coordination.k8s.io/v2","metadata":{"name":"a"}}`},
	{method: "POST", body: `{"kind":"Lease","metadata":{"name":"a"}}`},
	{method: "POST", body: `{"apiVersion":"coordination.k8s.io/v1","metadata":{"name":"a"}}`},
	{method: "POST", body: `{"metadata":{"name":"a","uid":"u","resourceVersion":"7"}}`},
	{method: "PUT", name: "x", body: `{"metadata":{}}`},
	{method: "PUT", name: "x", body: ``},
	{method: "PUT", name: "A", body: `{"metadata":{"name":"A"}}`},
	{method: "PATCH", name: "base", body: `[]`},
	{method: "PATCH", name: "base", body: `{`},
	{method: "PATCH", name: "base", body: ``},
	{method: "PATCH", name: "base", body: `null`},
	{method: "PATCH", name: "base", body: `5`},
	{method: "PATCH", name: "base", body: `{"spec":5}`},
	{method: "PATCH", name: "base", body: `{"metadata":null}`},
	{method: "PATCH", name: "base", body: `{"metadata":{"name":""}}`},
	{method: "PATCH", name: "base", body: `{"metadata":{"resourceVersion":5}}`},
	{method: "PATCH", name: "base", body: `{"kind":null}`},
	{method: "PATCH", name: "base", body: `{"apiVersion":null}`},
	{method: "PATCH", name: "base", body: `{"kind":5}`},
	{method: "DELETE", name: "base", body: `{`},
	{method: "DELETE", name: "base", body: `[]`},
	{method: "DELETE", name: "base", body: `{"kind":"Pod","apiVersion":"v1"}`},
	{method: "DELETE", name: "base", body: `{"preconditions":5}`},
	{method: "GET", name: "none"},
	{method: "GET", name: "base", query: "resourceVersion=x"},
	{method: "GET", name: "base", query: "resourceVersion=@future"},
	{method: "GET", name: "base", query: "timeout=x"},
	{method: "GET", query: "resourceVersion=x"},
	{method: "GET", query: "resourceVersion=@future"},
	{method: "GET", query: "resourceVersion=-1"},
	{method: "GET", query: "resourceVersionMatch=NotOlderThan"},
	{method: "GET", query: "fieldSelector=metadata.name%3Dnone"},
	{method: "GET", query: "fieldSelector=metadata.name%3D%3Dbase"},
	{method: "WATCH", query: "resourceVersion=x"},
	{method: "WATCH", query: "timeoutSeconds=1"},
	{method: "WATCH", query: "timeoutSeconds=1&resourceVersion=@version:e"},
}
