import Foundation
import NIOCore
import RoomModel
import RoomWire
import Testing

/// Frames with random damage: nothing crashes, and what passes is what Foundation takes for JSON as well.
@Suite struct MutationTests {
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `damaged frames are read as Foundation reads them`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let decoder = FrameDecoder(limits: FrameLimits())
        for _ in 0..<500 {
            let bytes = Damage.frame(of: Self.frames, using: &random)
            let accepted = Self.error(of: bytes, decoder) == nil
            if Self.isComparable(bytes), accepted != Self.foundationAccepts(bytes) {
                Issue.record("\(accepted ? "accepted" : "refused"): \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a damaged frame is decoded or refused, never more`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let decoder = FrameDecoder(limits: FrameLimits())
        for _ in 0..<500 {
            let bytes = Damage.frame(of: Self.frames, using: &random)
            do throws(RequestError) {
                _ = try decoder.decode(ByteBuffer(bytes: bytes))
                #expect(Self.error(of: bytes, decoder) == nil)
            } catch {
                #expect(error.text.utf8.count < 300)
                if let fault = Self.error(of: bytes, decoder) { #expect(fault.code == error.code) }
            }
        }
    }

    private static let frames = [
        #"{"type":"publish","room":"room3","message":{"text":"hé\u00e9🙂","n":[1,-2.5e+3,true,null]},"callback":12}"#,
        #"{"type":"handshake","channel":"abc","client_data":{"name":"Ann","color":"red"},"callback":0}"#,
        #"{"type":"subscribe","rooms":["a","b \" c","\ud83d\ude00"],"history_count":5,"history":5,"callback":1}"#,
        #"{"type":"subscribe","room":"a","since":{"epoch":"00000000000000ff","seq":12},"overflow":"latest"}"#,
        #"{"type":"moderate","room":"a","action":"ban","user":"u7","seconds":60,"reason":"\u0073pam","callback":3}"#,
        #" [ [ ] , { } , { "" : "" } , 0.5 , -0 , 1E9 , "\\\/\b\f" , false ] "#,
    ]

    private static func error(of bytes: [UInt8], _ decoder: FrameDecoder) -> RequestError? {
        do throws(RequestError) {
            _ = try decoder.value(ByteBuffer(bytes: bytes))
            return nil
        } catch {
            return error
        }
    }

    private static func foundationAccepts(_ bytes: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])) != nil
    }

    /// Not so where Foundation differs from RFC 8259 or from our choices: it guesses other encodings from NULs, takes a
    /// comma before a closing bracket, and refuses halves of surrogate pairs and numbers beyond its types.
    private static func isComparable(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self).replacing(#"\\"#, with: "").lowercased()
        return !bytes.contains(0) && !text.contains(/,\s*[}\]]/) && !text.contains(/e[+-]?\d{3}/)
            && !text.replacing(#"\ud83d\ude00"#, with: "").contains(#"\ud"#)
    }
}
