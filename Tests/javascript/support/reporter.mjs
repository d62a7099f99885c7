// Says what failed, and how many tests there were.

export default async function* reporter(events) {
  let passed = 0;
  for await (const { type, data } of events) {
    const isSuite = data?.details?.type === "suite";
    if (type === "test:pass" && !isSuite) passed += 1;
    if (type === "test:fail" && data.details.error.failureType !== "subtestsFailed") {
      const { cause, message } = data.details.error;
      yield `failed: ${data.name} (${data.file ?? ""})\n${cause?.stack ?? cause ?? message}\n`;
    }
    if (type === "test:stderr") yield data.message;
  }
  yield `${passed} tests passed\n`;
}
