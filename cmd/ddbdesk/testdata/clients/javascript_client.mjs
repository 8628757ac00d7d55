// What a program with the SDK for JavaScript does, against the endpoint that is its argument.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(process.env.DDBDESK_TEST_JAVASCRIPT + "/");
const sdk = require("@aws-sdk/client-dynamodb");

const client = new sdk.DynamoDBClient({
  endpoint: process.argv[2], region: "us-east-1", credentials: { accessKeyId: "local", secretAccessKey: "local" }, maxAttempts: 1,
});
const send = (name, input) => client.send(new sdk[name + "Command"](input));

// The error of a call that must fail with this name.
async function refused(name, operation, input) {
  const error = await send(operation, input).then(() => assert.fail("not refused: " + name), (e) => e);
  assert.equal(error.name, name, error.message);
  assert.ok(error instanceof sdk.DynamoDBServiceException);
  return error;
}

const TableName = "orders";
await send("CreateTable", {
  TableName, BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [["PK", "S"], ["SK", "N"], ["state", "S"]].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
  KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }, { AttributeName: "SK", KeyType: "RANGE" }],
  GlobalSecondaryIndexes: [
    { IndexName: "byState", KeySchema: [{ AttributeName: "state", KeyType: "HASH" }], Projection: { ProjectionType: "KEYS_ONLY" } },
  ],
});
await sdk.waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 1 }, { TableName });

// Values of every type, exact.
const key = (p, n) => ({ PK: { S: p }, SK: { N: String(n) } });
const item = {
  ...key("a", 1), state: { S: "new" }, exact: { N: "12345678901234567890.123456789012345678" }, no: { NULL: true }, yes: { BOOL: true },
  bytes: { B: new Uint8Array([0, 255]) }, list: { L: [{ N: "1.5" }, { M: { deep: { S: "日本" } } }] }, names: { SS: ["p", "q"] },
};
await send("PutItem", { TableName, Item: item });
assert.deepEqual((await send("GetItem", { TableName, Key: key("a", 1), ConsistentRead: true })).Item, item);

// Conditions.
const failed = await refused("ConditionalCheckFailedException", "PutItem", {
  TableName, Item: key("a", 1), ConditionExpression: "attribute_not_exists(PK)", ReturnValuesOnConditionCheckFailure: "ALL_OLD",
});
assert.equal(failed.Item.state.S, "new");
assert.equal(failed.$metadata.httpStatusCode, 400);
assert.ok(failed.$metadata.requestId);
const changed = await send("UpdateItem", {
  TableName, Key: key("a", 1), UpdateExpression: "SET #s = :s REMOVE #n", ExpressionAttributeNames: { "#s": "state", "#n": "no" },
  ExpressionAttributeValues: { ":s": { S: "open" } }, ReturnValues: "ALL_NEW",
});
assert.equal(changed.Attributes.state.S, "open");
assert.equal(changed.Attributes.no, undefined);

// Batches, and pages.
for (const from of [0, 20, 40]) {
  const puts = Array.from({ length: 20 }, (_, i) => ({ PutRequest: { Item: { ...key("many", from + i), state: { S: i % 2 ? "odd" : "even" } } } }));
  assert.deepEqual((await send("BatchWriteItem", { RequestItems: { orders: puts } })).UnprocessedItems, {});
}
const numbers = [];
let pages = 0;
for await (const page of sdk.paginateQuery({ client, pageSize: 7 }, {
  TableName, KeyConditionExpression: "PK = :p AND SK < :n", ExpressionAttributeValues: { ":p": { S: "many" }, ":n": { N: "40" } },
})) {
  pages++;
  numbers.push(...page.Items.map((i) => Number(i.SK.N)));
}
assert.deepEqual(numbers, [...Array(40).keys()]);
assert.equal(pages, 6);
const odd = { TableName, IndexName: "byState", KeyConditionExpression: "#s = :s", ExpressionAttributeNames: { "#s": "state" } };
assert.equal((await send("Query", { ...odd, ExpressionAttributeValues: { ":s": { S: "odd" } }, Select: "COUNT" })).Count, 30);
const both = await send("BatchGetItem", { RequestItems: { orders: { Keys: [key("many", 1), key("a", 1), key("none", 0)] } } });
assert.equal(both.Responses.orders.length, 2);

// Many at once.
await Promise.all(Array.from({ length: 50 }, () => send("UpdateItem", {
  TableName, Key: key("counter", 0), UpdateExpression: "ADD n :one", ExpressionAttributeValues: { ":one": { N: "1" } },
})));
assert.equal((await send("GetItem", { TableName, Key: key("counter", 0) })).Item.n.N, "50");

// Transactions.
await send("TransactWriteItems", { TransactItems: [
  { Put: { TableName, Item: key("t", 1), ConditionExpression: "attribute_not_exists(PK)" } }, { Delete: { TableName, Key: key("many", 0) } },
] });
const cancelled = await refused("TransactionCanceledException", "TransactWriteItems", { TransactItems: [
  { ConditionCheck: { TableName, Key: key("a", 1), ConditionExpression: "attribute_exists(PK)" } },
  { Put: { TableName, Item: key("t", 1), ConditionExpression: "attribute_not_exists(PK)" } },
] });
assert.deepEqual(cancelled.CancellationReasons.map((r) => r.Code), ["None", "ConditionalCheckFailed"]);
const read = await send("TransactGetItems", { TransactItems: [{ Get: { TableName, Key: key("t", 1) } }] });
assert.deepEqual(read.Responses, [{ Item: key("t", 1) }]);

// Expiry, errors.
await send("UpdateTimeToLive", { TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: "expires" } });
assert.equal((await send("DescribeTimeToLive", { TableName })).TimeToLiveDescription.AttributeName, "expires");
await refused("ResourceNotFoundException", "GetItem", { TableName: "none", Key: key("a", 1) });
await refused("ValidationException", "GetItem", { TableName, Key: { PK: { S: "a" } } });
await refused("ValidationException", "UpdateItem", { TableName, Key: key("a", 1), UpdateExpression: "SET" });

await send("DeleteTable", { TableName });
await sdk.waitUntilTableNotExists({ client, maxWaitTime: 10, minDelay: 1 }, { TableName });
console.log("ok");
