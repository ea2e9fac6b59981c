"""The currencies in use, by their codes, and what people write for some of them.

Source: ISO 4217, list one of its maintenance agency (https://www.six-group.com/en/products-services/financial-information/data-standards.html,
2026-01), without funds, metals and codes for testing.
"""

from __future__ import annotations

_CODES = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP
CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR
IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU
MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG
SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV
WST XAF XCD XOF XPF YER ZAR ZMW ZWG
"""
CURRENCIES = frozenset(_CODES.split())

# Not accepted, since ¥ and $ are said in several countries; asked back.
MEANT = {
    "RMB": "CNY", "CNH": "CNY", "YUAN": "CNY", "元": "CNY", "块": "CNY", "人民币": "CNY", "¥": "CNY", "￥": "CNY",
    "$": "USD", "US$": "USD", "DOLLAR": "USD", "DOLLARS": "USD", "美元": "USD", "美金": "USD", "刀": "USD",
    "€": "EUR", "EURO": "EUR", "EUROS": "EUR", "欧元": "EUR", "£": "GBP", "英镑": "GBP", "港币": "HKD", "日元": "JPY",
}  # fmt: skip
