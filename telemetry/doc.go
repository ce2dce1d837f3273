// Package telemetry makes OpenTelemetry traces and metrics of runs. It never changes what a run does, needs the API of
// OpenTelemetry alone, and costs nothing where it is not used: without an Observer a runtime makes one comparison.
//
//	provider := sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{}), sdktrace.WithBatcher(exporter))
//	observer, err := telemetry.New(telemetry.Options{TracerProvider: provider})
//	rt, err := fermata.New(fermata.Options{Observer: observer})
//
// # Spans
//
// A span is made from the entry that ends it, by the process that has stored this entry, at the times that the journal
// has. An entry is stored once, so a span is made once, however often a run is suspended, resumed, recovered or taken
// over (law N4). Ids follow from the run and the place in it: all processes that work on a run add to one trace, and
// children know their parent long before it is made. A process that dies between an append and its export takes those
// spans with it; nobody makes them a second time.
//
//	run PLAN          from the start of the run to its end; events paused and resumed (why). A retry of a failed run is
//	                  a span of its own in the first one: fermata.retry
//	  task NODE       one visit of a node, from its start to its end, all waiting and attempts included; events attempt
//	                  failed and suspended; a subgraph's tasks are in it. fermata.task, .node, .attempt, .outcome
//	                  (finished, failed, expired: left over a deadline's edge; cut_off: by the end of the run), .route
//	    step KEY      a step when it was done; the steps made inside of it are in it. fermata.op, .outcome
//	    model KEY     likewise, a call of a language model: gen_ai.operation.name, gen_ai.usage.*, fermata.cost
//	    reason KEY    a reasoning, with the models that it asked, the tools and the people in it
//	    execute_tool NAME  a call of a tool: gen_ai.operation.name, gen_ai.tool.name
//	    sleep         from when the timer was set to when it fired
//	    interrupt     from the question to its answer or other end: fermata.interrupt (its id), .role, .state, .default
//
// All have fermata.run and fermata.plan, and all but the run's fermata.task and .attempt. A failure has the status
// Error with the text of the error, and error.type: the journal's code, or _OTHER. No span has values: no input,
// output, state, result, question or answer, no resume token, and not who answered.
//
// While a node or a step runs, its context holds its span as a remote parent: spans that the code makes, by an
// instrumented HTTP client for instance, come into it. While a node does again what an earlier pass did, that parent is
// not sampled, so that a sampler that follows parents makes nothing twice; all of those of the SDK but AlwaysSample and
// a bare TraceIDRatioBased do.
//
// # Metrics
//
// Attributes are fermata.plan, fermata.node (the path of a node) and one of few words; never a run, a task or a key. Counts of
// rows in the store end at 10,000 for each value.
// Durations are in seconds, by the runtime's clock.
//
//	fermata.run.started              {run}        counter    plan
//	fermata.run.duration             s            histogram  plan, status     its count: runs that ended
//	fermata.task.duration            s            histogram  plan, node, outcome
//	fermata.task.retries             {attempt}    counter    plan, node
//	fermata.step.duration            s            histogram  plan, node, outcome (finished, failed)
//	fermata.interrupt.opened         {interrupt}  counter    plan, node
//	fermata.interrupt.duration       s            histogram  plan, node, state (answered, expired, withdrawn)
//	fermata.interrupt.open           {interrupt}  gauge      role             with WatchInbox or WatchStore
//	fermata.runs                     {run}        gauge      status           with WatchStore, as the next three
//	fermata.backlog                  {run}        gauge      queue            runs that wait for a worker
//	fermata.backlog.age              s            gauge      queue            of the one that has waited longest
//	fermata.processes                {process}    gauge                       that execute runs of the store
//	fermata.journal.append.duration  s            histogram  plan
//	fermata.journal.append.size      By           histogram  plan
//	gen_ai.client.token.usage        {token}      histogram  plan, node, gen_ai.operation.name, gen_ai.token.type
//	fermata.model.cost               {USD}        counter    plan, node
package telemetry
