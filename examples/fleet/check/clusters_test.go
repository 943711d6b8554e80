package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/batch"
	batchtypes "github.com/aws/aws-sdk-go-v2/service/batch/types"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// runs is a search of eight blocks, in place of the ten million schedules of the examples.
const runs = "2048"

// oneMachine is the directory of that search on one machine, and its exit code.
func oneMachine(t *testing.T) (dir string, code int) {
	t.Helper()
	one.Do(func() {
		bin, err := programs()
		if err != nil {
			t.Fatal(err)
		}
		one.dir = filepath.Join(bin, "one")
		one.code, one.out = run(t, bin, "simrun run gc-pause --lock=setpx --runs="+runs+" --out="+one.dir)
	})
	if one.code != 1 {
		t.Fatalf("one machine: exit code %d\n%s", one.code, one.out)
	}
	return one.dir, one.code
}

var one struct {
	sync.Once
	dir, out string
	code     int
}

// shardsThenMerge runs the shards of an engine with what it sets for each, then the merge, and compares with one machine. Volume is where the
// engine mounts what all jobs share.
func shardsThenMerge(t *testing.T, volume string, search, merge []string, shards []string) {
	t.Helper()
	want, code := oneMachine(t)
	dir := t.TempDir()
	words := func(list []string) string {
		var quoted []string
		for _, w := range list {
			w = strings.ReplaceAll(strings.ReplaceAll(w, volume, dir), "10000000", runs)
			quoted = append(quoted, "'"+strings.TrimPrefix(w, "/")+"'")
			if strings.Contains(w, dir) {
				quoted[len(quoted)-1] = "'" + w + "'"
			}
		}
		return strings.Join(quoted, " ")
	}
	for _, env := range shards {
		if code, out := run(t, dir, words(search), strings.Fields(env)...); code != 0 {
			t.Errorf("%s: exit code %d\n%s", env, code, out)
		}
	}
	if states, _ := filepath.Glob(filepath.Join(dir, "shards", "*.search.json")); len(states) != len(shards) {
		t.Errorf("%d shards have left %d states", len(shards), len(states))
	}
	if got, out := run(t, dir, words(merge)); got != code {
		t.Errorf("the merge: exit code %d, and %d on one machine\n%s", got, code, out)
	}
	same(t, filepath.Join(dir, "merged"), want)
}

// manifest reads a document of a manifest by the type that the API server has for it. What the type does not have is refused.
func manifest[T any](t *testing.T, file string, n int) *T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../kubernetes", file))
	if err != nil {
		t.Fatal(err)
	}
	documents := bytes.Split(text, []byte("\n---\n"))
	if n >= len(documents) {
		t.Fatalf("%s has %d documents", file, len(documents))
	}
	var object T
	if err := yaml.UnmarshalStrict(documents[n], &object); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return &object
}

// TestKubernetes: the manifests are those of the API, and what they run comes to what one machine finds.
func TestKubernetes(t *testing.T) {
	claim := manifest[corev1.PersistentVolumeClaim](t, "search.yaml", 0)
	search, merge := manifest[batchv1.Job](t, "search.yaml", 1), manifest[batchv1.Job](t, "merge.yaml", 0)
	for _, job := range []*batchv1.Job{search, merge} {
		valid(t, job, claim)
	}
	s := &search.Spec
	c := &s.Template.Spec.Containers[0]
	if *s.CompletionMode != batchv1.IndexedCompletion || s.BackoffLimitPerIndex == nil {
		t.Error("it is not an indexed Job with a limit of tries for each index")
	}
	n := int(*s.Completions)
	if len(c.Env) != 1 || c.Env[0].Name != "SIMRUN_SHARDS" || c.Env[0].Value != fmt.Sprint(n) {
		t.Errorf("there are %d completions, and the variables %v", n, c.Env)
	}
	var shards []string
	for i := range n {
		shards = append(shards, fmt.Sprintf("JOB_COMPLETION_INDEX=%d %s=%s", i, c.Env[0].Name, c.Env[0].Value))
	}
	m := &merge.Spec.Template.Spec.Containers[0]
	shardsThenMerge(t, "/search", slices.Concat(c.Command, c.Args), slices.Concat(m.Command, m.Args), shards)
}

// valid checks what the types do not say: what must be there, and what must fit the rest. It is what the API server asks of a Job.
func valid(t *testing.T, job *batchv1.Job, claim *corev1.PersistentVolumeClaim) {
	t.Helper()
	name, pod := job.Name, &job.Spec.Template.Spec
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || claim.APIVersion != "v1" || claim.Kind != "PersistentVolumeClaim" || name == "" {
		t.Errorf("%s: %v, and %v", name, job.TypeMeta, claim.TypeMeta)
	}
	if pod.RestartPolicy != corev1.RestartPolicyNever { // else a policy for failures is refused
		t.Errorf("%s: restartPolicy %s", name, pod.RestartPolicy)
	}
	c := &pod.Containers[0]
	never := map[int32]bool{}
	for _, rule := range job.Spec.PodFailurePolicy.Rules {
		switch rule.Action {
		case batchv1.PodFailurePolicyActionFailIndex, batchv1.PodFailurePolicyActionFailJob:
		case batchv1.PodFailurePolicyActionIgnore:
			if len(rule.OnPodConditions) != 1 || rule.OnPodConditions[0].Type != corev1.DisruptionTarget || rule.OnPodConditions[0].Status != corev1.ConditionTrue {
				t.Errorf("%s ignores %v", name, rule.OnPodConditions)
			}
			continue
		default:
			t.Errorf("%s: there is no action %s", name, rule.Action)
		}
		codes := rule.OnExitCodes
		if codes == nil || codes.Operator != batchv1.PodFailurePolicyOnExitCodesOpIn || *codes.ContainerName != c.Name || !slices.IsSorted(codes.Values) {
			t.Errorf("%s: the rule is of %+v", name, codes)
			continue
		}
		for _, code := range codes.Values {
			never[code] = true
		}
	}
	for code, retried := range map[int32]bool{1: false, 2: false, 3: false, 4: false, 5: true, 130: true, 137: true} { // unordered: each by itself
		if never[code] == retried {
			t.Errorf("%s: exit code %d is tried again: %v", name, code, !never[code])
		}
	}
	if len(pod.Volumes) != 1 || pod.Volumes[0].PersistentVolumeClaim.ClaimName != claim.Name || len(c.VolumeMounts) != 1 || c.VolumeMounts[0].Name != pod.Volumes[0].Name {
		t.Errorf("%s has the volumes %v, and mounts %v", name, pod.Volumes, c.VolumeMounts)
	}
}

// TestAWSBatch: the job's definition is what Batch registers, and what it runs comes to what one machine finds.
func TestAWSBatch(t *testing.T) {
	text, err := os.ReadFile("../aws-batch/job-definition.json")
	if err != nil {
		t.Fatal(err)
	}
	var job batch.RegisterJobDefinitionInput
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&job); err != nil {
		t.Fatal(err)
	}
	retried := map[string]batchtypes.RetryAction{}
	for _, e := range job.RetryStrategy.EvaluateOnExit {
		if !slices.Contains(e.Action.Values(), batchtypes.RetryAction(strings.ToUpper(string(e.Action)))) {
			t.Errorf("there is no action %s", e.Action)
		}
		if e.OnExitCode != nil {
			retried[*e.OnExitCode] = e.Action
		}
	}
	for _, code := range []string{"5", "130", "137"} {
		if retried[code] != "RETRY" {
			t.Errorf("exit code %s: %s", code, retried[code])
		}
	}
	if retried["*"] != "EXIT" || len(retried) != 4 {
		t.Errorf("the rest: %v", retried)
	}
	submit, err := os.ReadFile("../aws-batch/submit.sh")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(submit), `--container-overrides '`)
	overrides, _, ended := strings.Cut(after, "'")
	var merge batchtypes.ContainerOverrides
	if err := json.Unmarshal([]byte(overrides), &merge); err != nil || !ok || !ended {
		t.Fatalf("the merge in submit.sh: %v", err)
	}
	var size int
	if _, after, _ := strings.Cut(string(submit), "--array-properties size="); after == "" {
		t.Fatal("submit.sh names no size")
	} else if _, err := fmt.Sscan(after, &size); err != nil {
		t.Fatal(err)
	}
	search := []string{"simrun"}
	for _, word := range job.ContainerProperties.Command {
		if name, ok := strings.CutPrefix(word, "Ref::"); ok {
			word = job.Parameters[name]
		}
		search = append(search, word)
	}
	var shards []string
	for i := range size {
		shards = append(shards, fmt.Sprintf("AWS_BATCH_JOB_ARRAY_INDEX=%d AWS_BATCH_JOB_ARRAY_SIZE=%d", i, size))
	}
	shardsThenMerge(t, "/search", search, append([]string{"simrun"}, merge.Command...), shards)
}
