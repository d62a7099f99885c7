import NIOCore
import RoomModel
import Testing

@testable import RoomCore

struct TokenVerifierTests {
    @Test func `a signed token says who, until when, with what and where`() throws {
        let token = TokenSample.sign(
            #"{"client":"c1","channel":"app","exp":2000,"data":{"n": 1.0},"permissions":{"^a$":{"publish":true}}}"#
        )
        let grant = try TokenSample.verifier().verify(token, now: 1000)
        #expect(grant.clientID == "c1")
        #expect(grant.expires == 2005)
        #expect(grant.authData == ByteBuffer(string: #"{"n": 1.0}"#))
        #expect(grant.permissions.permission(for: RoomName("a")) == RoomPermission(publish: true))
        #expect(grant.permissions.permission(for: RoomName("b")) == .nothing)
    }

    @Test func `client and data may be left out or null`() throws {
        for claims in ["", #""client":null,"data":null,"nbf":null,"#] {
            let grant = try Self.verify(#"{\#(claims)"channel":"app","exp":2000,"permissions":{}}"#)
            #expect(grant.clientID == nil)
            #expect(grant.authData == nil)
        }
    }

    @Test func `grants are equal where they say the same`() throws {
        let one = try Self.verify(#"{"channel":"app","exp":2000,"permissions":{"a+":{"publish":true}}}"#)
        let same = try Self.verify(#"{"exp":2000,"permissions":{"a+":{"publish":true}},"channel":"app"}"#)
        let other = try Self.verify(#"{"channel":"app","exp":2000,"permissions":{"a*":{"publish":true}}}"#)
        #expect(one == same)
        #expect(one != other)
    }

    @Test(arguments: [
        (#"{"n": 1.0, "big":12345678901234567890,"e":1e400}"#, nil),
        (#"{"b":1,"a":2,"a":3}"#, nil),
        (#""\ud800 \u00e4 ä \/""#, nil),
        ("[]", nil), ("0", nil), ("false", nil), (#""""#, nil),
        ("{\r\n\t\"a\" :\n[1 ,\r2]\n}", "{  \t\"a\" : [1 , 2] }"),
    ])
    func `data passes byte for byte, line breaks between tokens become spaces`(data: String, expected: String?) throws {
        let grant = try Self.verify(#"{"channel":"app","data": \#(data) ,"exp":2000,"permissions":{}}"#)
        #expect(grant.authData == ByteBuffer(string: expected ?? data))
    }

    @Test func `data has a bound`() throws {
        for (length, fits) in [(TokenLimits.authData - 2, true), (TokenLimits.authData - 1, false)] {
            let data = "\"" + String(repeating: "x", count: length) + "\""
            let payload = #"{"channel":"app","data":\#(data),"exp":2000,"permissions":{}}"#
            if fits {
                _ = try Self.verify(payload)
            } else {
                #expect(throws: RequestError.self) { try Self.verify(payload) }
            }
        }
    }

    // MARK: - Times

    @Test(arguments: [
        ("2000", 2000), ("2000.0", 2000), ("1999.2", 2000), ("2e3", 2000), ("1700000000000", 1_700_000_000),
        ("100000000001", 100_000_000_001), ("1700000000000.5", 1_700_000_001), ("1000000000001", 1_000_000_001),
        // Never: the year 9999, also in milliseconds and by a clock that is behind UTC.
        ("253402300799", 253_402_300_799), ("253402300799999", 253_402_300_799), ("253402318799", 253_402_300_799),
        ("1000000000000", 253_402_300_799),
        // 2⁵³ − 1, Int64.max, a thousandth of it, UInt64.max.
        ("9007199254740991", 253_402_300_799), ("9223372036854775807", 253_402_300_799),
        ("9223372036854775", 253_402_300_799), ("18446744073709551615", 253_402_300_799),
    ])
    func `exp is a number of seconds, of milliseconds, or means never`(exp: String, seconds: Int64) throws {
        let token = TokenSample.sign(#"{"channel":"app","exp":\#(exp),"permissions":{}}"#)
        let verifier = TokenSample.verifier(skew: 5)
        #expect(try verifier.verify(token, now: seconds + 4).expires == seconds + 5)
        let error = #expect(throws: RequestError.self) { try verifier.verify(token, now: seconds + 5) }
        #expect(error?.code == .tokenExpired)
    }

    @Test(
        arguments: ["1000000000000001", "1764417600000000", "9007199254740990", "1764417600000000000", "1e300"],
        ["exp", "nbf"]
    )
    func `a time in a unit that nobody takes is named`(number: String, claim: String) {
        let exp = claim == "exp" ? "" : #""exp":2000,"#
        let refusal = Self.refusal(#"{"channel":"app",\#(exp)"\#(claim)":\#(number),"permissions":{}}"#)
        #expect(refusal?.code == .tokenInvalid)
        #expect(
            refusal?.text
                == "the token's '\(claim)' is too large for Unix time in seconds or milliseconds: it may be in microseconds"
        )
    }

    @Test(arguments: ["0", "-1", "-1e15", "-1e300"])
    func `a token of long ago has expired`(exp: String) {
        #expect(Self.refusal(#"{"channel":"app","exp":\#(exp),"permissions":{}}"#)?.code == .tokenExpired)
    }

    @Test(arguments: ["nbf", "iat"])
    func `a token of the future is not valid yet, but for the skew`(claim: String) throws {
        let payload = { (time: String) in #"{"channel":"app","\#(claim)":\#(time),"exp":2000,"permissions":{}}"# }
        _ = try Self.verify(payload("1005"))
        _ = try Self.verify(payload("1005.9"))
        let refusal = Self.refusal(payload("1006"))
        #expect(refusal?.code == .tokenInvalid)
        #expect(refusal?.text.contains("not valid yet") == true)
        #expect(Self.refusal(payload("1700000000000"))?.code == .tokenInvalid)
    }

    // MARK: - Secrets

    @Test func `while a secret is rotated, both are taken`() throws {
        let old = ChannelSecret(text: "the-old-one", expires: 1500)
        let new = ChannelSecret(text: "the-new-one")
        let verifier = TokenSample.verifier([old, new])
        let payload = #"{"channel":"app","exp":2000,"permissions":{}}"#
        for secret in [old, new] {
            _ = try verifier.verify(TokenSample.sign(payload, with: secret), now: 1499)
            #expect(verifier.isSecret(secret.text, now: 1499))
        }
        _ = try verifier.verify(TokenSample.sign(payload, with: new), now: 1500)
        #expect(verifier.isSecret(new.text, now: 1500))
        #expect(throws: RequestError.self) { try verifier.verify(TokenSample.sign(payload, with: old), now: 1500) }
        #expect(!verifier.isSecret(old.text, now: 1500))
    }

    @Test func `nothing else is a secret`() {
        let verifier = TokenSample.verifier()
        for text in ["", "x", TokenSample.secret.text + " ", String(TokenSample.secret.text.dropLast())] {
            #expect(!verifier.isSecret(text, now: 0))
        }
    }

    @Test func `without a secret, or with an empty one, nobody signs`() {
        for secrets in [[], [ChannelSecret(text: "")]] {
            let verifier = TokenSample.verifier(secrets)
            #expect(!verifier.isSecret("", now: 0))
            let token = TokenSample.sign(
                #"{"channel":"app","exp":2000,"permissions":{}}"#,
                with: ChannelSecret(text: "")
            )
            #expect(throws: RequestError.self) { try verifier.verify(token, now: 1000) }
        }
    }

    private static func verify(_ payload: String) throws(RequestError) -> TokenGrant {
        try TokenSample.verifier().verify(TokenSample.sign(payload), now: 1000)
    }

    private static func refusal(_ payload: String) -> RequestError? {
        do throws(RequestError) {
            _ = try Self.verify(payload)
            return nil
        } catch {
            return error
        }
    }
}
