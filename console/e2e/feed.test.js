// The feed of changes (law W8): lists follow it, and ask every few seconds where there is none.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { launch } from "./browser.js";
import { Issuer } from "./issuer.js";
import { Server } from "./server.js";
import { Wire } from "./wire.js";

const limit = Number(process.env.LIMIT ?? 120_000);
/** How often a list is asked for without a feed, in milliseconds. */
const polling = 2500;
const recipes = new URL("recipes", import.meta.url).pathname;
const server = new Server(recipes);
let browser;
let wire;
let contexts;

before(async () => {
  await server.start();
  browser = await launch();
}, { timeout: limit });

after(async () => {
  await browser?.close();
  await server.end();
});

beforeEach(async () => {
  contexts = [];
  wire = new Wire();
  await wire.start(server.url);
});

afterEach(async () => {
  for (const context of contexts) await context.close();
  wire.end();
});

/** A page, and the times at which it has asked for something. */
async function person() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-GB", reducedMotion: "reduce" });
  contexts.push(context);
  context.setDefaultTimeout(limit / 2);
  const page = await context.newPage();
  const asked = new Map();
  page.on("request", (r) => {
    const path = new URL(r.url()).pathname;
    asked.set(path, [...(asked.get(path) ?? []), performance.now()]);
  });
  return { page, since: (path, moment) => (asked.get(path) ?? []).filter((at) => at >= moment).length };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const rowOf = (page, run) => page.locator(".runs tbody tr", { hasText: run.slice(-6) });

/** Waits until a page has stopped asking for its list, as it does while a feed tells it of changes. */
async function calm(since, path) {
  for (let from = performance.now(); ; ) {
    await pause(100);
    if (since(path, from) > 0) from = performance.now();
    else if (performance.now() - from > 2 * polling) return;
  }
}

test("W8: a list changes at once when somebody else starts a run, and is not asked for meanwhile", { timeout: limit }, async () => {
  const { page, since } = await person();
  await page.goto(wire.url + "/runs");
  await wire.has(1);
  await calm(since, "/api/runs");
  const run = await server.run("letter");
  const began = performance.now();
  await rowOf(page, run).locator(".status", { hasText: "waiting" }).waitFor();
  const took = performance.now() - began;
  assert.ok(took < polling, `the run came after ${took} ms; without the feed it comes after ${polling}`);
  // The count of the inbox, and the page of the run, hear of the answer of another person.
  await page.locator("nav .count", { hasText: "1" }).waitFor();
  const [{ requestId }] = (await server.stands(run, "paused")).interrupts;
  await server.post(`/api/interrupts/${requestId}/answer`, { value: { action: "approve" }, by: "Ada" });
  await server.stands(run, "completed");
  const answered = performance.now();
  await rowOf(page, run).locator(".status", { hasText: "completed" }).waitFor();
  await page.locator("nav .count").waitFor({ state: "detached" });
  assert.ok(performance.now() - answered < polling, "the list heard late of the answer");
  // A burst of changes is not a burst of questions.
  const from = performance.now();
  for (let i = 0; i < 15; i++) await server.post("/api/runs", { definition: "report", input: {} });
  await pause(1500);
  const n = since("/api/runs", from);
  const most = (performance.now() - from) / 300 + 2;
  assert.ok(n >= 1 && n <= most, `${n} questions for 15 runs; expected at most ${most}`);
});

test("W8: a feed that is cut off leaves a list that asks, and that calms down once there is one again", { timeout: limit }, async () => {
  const { page, since } = await person();
  await page.goto(wire.url + "/runs");
  await wire.has(1);
  await calm(since, "/api/runs");
  wire.sever();
  await wire.has(0);
  const first = await server.run("report", "completed");
  await rowOf(page, first).waitFor();
  const from = performance.now();
  while (since("/api/runs", from) < 3) await pause(50);
  assert.ok(performance.now() - from < 10 * polling, "it asks too seldom");
  wire.cut = false;
  await wire.has(1);
  await calm(since, "/api/runs");
  const second = await server.run("report", "completed");
  await rowOf(page, second).waitFor();
});

test("W5, W8: where the feed is refused, lists ask", { timeout: limit }, async () => {
  const { page, since } = await person();
  await page.route("**/api/feed*", (route) => route.fulfill({ status: 403, contentType: "application/problem+json", body: '{"status":403,"code":"forbidden"}' }));
  await page.goto(wire.url + "/runs");
  const from = performance.now();
  while (since("/api/runs", from) < 3) await pause(50);
  const run = await server.run("report", "completed");
  await rowOf(page, run).waitFor();
  assert.equal(since("/api/feed", 0), 1, "it insists");
});

test("W5, W8: a person who may only answer questions asks for no feed, and sees new ones", { timeout: limit }, async () => {
  const own = new Server(recipes, "--auth", "tokens");
  await own.start();
  try {
    const [clerk, admin] = ["clerk", "admin"].map((role) => own.command("tokens", "create", role, "--person", role + "@example.com", "--role", role));
    const { page, since } = await person();
    await page.goto(own.url + "/");
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    await page.keyboard.type(clerk);
    await page.keyboard.press("Enter");
    await page.getByText("Nothing waits for you").waitFor();
    const made = await fetch(own.url + "/api/runs", { method: "POST", headers: { Authorization: "Bearer " + admin, "Content-Type": "application/json" }, body: '{"definition":"letter","input":{}}' });
    assert.equal(made.status, 201);
    await page.getByRole("heading", { name: /Send this letter/ }).waitFor();
    assert.equal(since("/api/feed", 0), 0);
  } finally {
    await own.end();
  }
});

test("W5, W8: who has logged in at an issuer has a feed", { timeout: limit }, async () => {
  const issuer = new Issuer();
  await issuer.start();
  const own = new Server(recipes, "--auth", "oidc", "--oidc-issuer", issuer.url, "--oidc-client", "fermata", "--grant", "finance=operator");
  await own.start();
  try {
    const { page } = await person();
    const answered = page.waitForResponse((r) => new URL(r.url()).pathname === "/api/feed");
    await page.goto(own.url + "/runs");
    await page.getByRole("link", { name: "Sign in" }).click();
    assert.equal((await answered).status(), 200);
  } finally {
    await own.end();
    await issuer.end();
  }
});

test("W8: a page that is hidden has no feed and asks for nothing; shown again, it has both", { timeout: limit }, async () => {
  const { page, since } = await person();
  const hide = (hidden) => page.evaluate((is) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => is });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
  await page.goto(wire.url + "/runs");
  await wire.has(1);
  await calm(since, "/api/runs");
  for (let i = 0; i < 3; i++) {
    await hide(true);
    await wire.has(0);
    await pause(350); // a question that was due
    const from = performance.now();
    await pause(polling + 500);
    assert.equal(since("/api/runs", from), 0, "it asks while nobody looks");
    const run = await server.run("report", "completed");
    await hide(false);
    await wire.has(1);
    await rowOf(page, run).waitFor();
  }
  // However often it is hidden and shown, there is one feed.
  for (let i = 0; i < 6; i++) await hide(i % 2 === 0);
  await pause(polling);
  await wire.has(1);
  await page.getByRole("link", { name: "Definitions" }).click();
  await page.getByRole("heading", { name: "Definitions", level: 1 }).waitFor();
  assert.equal(wire.feeds, 1);
});
