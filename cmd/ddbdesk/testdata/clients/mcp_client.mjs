// Finds, reads, relates and plans with the TypeScript SDK of the Model Context Protocol, six calls at a time, over stdio and HTTP.
// Arguments: the command of the server.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const load = createRequire(process.env.DDBDESK_TEST_MCP_TYPESCRIPT + "/");
const { Client } = load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = load("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = load("@modelcontextprotocol/sdk/client/streamableHttp.js");
const [command, ...args] = process.argv.slice(2);

const check = (ok, what) => { if (!ok) throw new Error(`${what}`); };

async function use(transport) {
  const client = new Client({ name: "typescript", version: "1" });
  await client.connect(transport);
  const call = async (name, args, options) => (await client.callTool({ name, arguments: args }, undefined, options));
  const answer = async (name, args) => {
    const r = await call(name, args);
    check(!r.isError, `${name}: ${r.content[0].text}`);
    return r.structuredContent;
  };
  check((await client.listTools()).tools.length === 8, "tools");
  const runs = await Promise.all([1, 2, 3, 4, 5, 6].map((limit) =>
    answer("run_pattern", { pattern: "list-verifications-by-date", parameters: { date: "2026-01-19" }, limit })));
  check(runs.every((r, i) => r.count === i + 1), "six calls at a time");
  const inReview = (await answer("run_pattern", { pattern: "list-verifications-by-date", parameters: { date: "2026-01-19" }, limit: 100 }))
    .items.find((it) => it.status === "in_review");
  const { hits } = await answer("find", { value: inReview.verificationId });
  check(hits.some((h) => h.entity === "Verification"), "find");
  const key = { PK: { S: inReview.PK }, SK: inReview.SK };
  check((await answer("get_item", { key })).item.status === "in_review", "get_item");
  check((await answer("related", { key })).patterns.length > 0, "related");
  const plan = await answer("plan_change", { action: "approve", inputs: { verificationId: inReview.verificationId } });
  check(plan.status === "planned" && plan.writes.length === 2, "plan_change");
  const refused = await call("run_pattern", { pattern: "get-verification", limit: {} });
  check(refused.isError && refused.content[0].text.startsWith("parameter limit: "), refused.content[0].text);
  const abort = new AbortController();
  const canceled = call("find", { value: "no-such-value" }, { signal: abort.signal }).then(() => false, () => true);
  abort.abort();
  check(await canceled, "cancellation");
  check((await client.listResources()).resources.length === 3, "resources");
  await client.close();
}

await use(new StdioClientTransport({ command, args, env: process.env }));

const token = "0123456789abcdef0123456789abcdef";
const server = spawn(command, [...args, "--http", "127.0.0.1:0"], { env: { ...process.env, DDBDESK_MCP_TOKEN: token } });
try {
  for await (const line of createInterface({ input: server.stderr })) {
    const url = line.match(/http:\S+/);
    if (!url) continue;
    await use(new StreamableHTTPClientTransport(new URL(url[0]), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
    break;
  }
} finally {
  server.kill();
}
console.log("ok");
